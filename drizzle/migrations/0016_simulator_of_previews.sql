-- The simulator of previews serves branches, whose test scopes are in other databases.
ALTER TABLE "simulator_states" DROP CONSTRAINT "simulator_states_scope_id_workspaces_id_fk";
