-- What the simulated networks of test scopes know.
CREATE TABLE "simulator_states" (
	"scope_id" uuid NOT NULL,
	"network" text NOT NULL,
	"state" jsonb NOT NULL,
	"version" integer NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "simulator_states_scope_id_network_pk" PRIMARY KEY("scope_id","network")
);
--> statement-breakpoint
ALTER TABLE "simulator_states" ADD CONSTRAINT "simulator_states_scope_id_workspaces_id_fk" FOREIGN KEY ("scope_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;