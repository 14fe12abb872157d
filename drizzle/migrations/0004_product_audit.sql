-- People change products in the dashboard: the audit log has who.
CREATE TRIGGER audited AFTER INSERT OR UPDATE OR DELETE ON products FOR EACH ROW
  WHEN (coalesce(current_setting('audit.actor', true), '') <> '') EXECUTE FUNCTION write_audit_log();
