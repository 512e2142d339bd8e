CREATE TABLE "sign_in_teams" (
	"provider_id" uuid NOT NULL,
	"key" text NOT NULL,
	"team_id" integer NOT NULL,
	CONSTRAINT "sign_in_teams_provider_id_key_pk" PRIMARY KEY("provider_id","key"),
	CONSTRAINT "sign_in_teams_team_id_key" UNIQUE("team_id")
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "provider_id" uuid;--> statement-breakpoint
ALTER TABLE "sign_in_identities" ADD COLUMN "team_key" text;--> statement-breakpoint
ALTER TABLE "sign_in_identities" ADD COLUMN "division" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "sign_in_providers" ADD COLUMN "ends_session" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "sign_in_providers" ADD COLUMN "teams_each_time" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "sign_in_teams" ADD CONSTRAINT "sign_in_teams_provider_id_sign_in_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."sign_in_providers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_teams" ADD CONSTRAINT "sign_in_teams_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;