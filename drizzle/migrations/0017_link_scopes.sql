-- Connect links, consents and approval links are listed, ended and deleted by scope.
CREATE INDEX "approval_links_scope" ON "approval_links" USING btree ("scope_id","expires_at");
--> statement-breakpoint
CREATE INDEX "connect_links_scope" ON "connect_links" USING btree ("scope_id","created_at");
--> statement-breakpoint
CREATE INDEX "connections_scope" ON "connections" USING btree ("scope_id");
