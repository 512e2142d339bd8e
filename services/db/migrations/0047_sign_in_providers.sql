CREATE TABLE "sign_in_identities" (
	"provider_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"user_id" uuid NOT NULL,
	"label" text NOT NULL,
	"linked_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sign_in_identities_provider_id_subject_pk" PRIMARY KEY("provider_id","subject"),
	CONSTRAINT "sign_in_identities_provider_user_key" UNIQUE("provider_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "sign_in_providers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"issuer" text NOT NULL,
	"client_id" text NOT NULL,
	"client_secret" text,
	"scope" text NOT NULL,
	"claims" jsonb NOT NULL,
	"is_enabled" boolean DEFAULT false NOT NULL,
	CONSTRAINT "sign_in_providers_key_key" UNIQUE("key"),
	CONSTRAINT "sign_in_providers_kind_check" CHECK ("sign_in_providers"."kind" in ('OpenId', 'GitHub', 'Ctftime'))
);
--> statement-breakpoint
ALTER TABLE "sign_in_identities" ADD CONSTRAINT "sign_in_identities_provider_id_sign_in_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."sign_in_providers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_identities" ADD CONSTRAINT "sign_in_identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sign_in_identities_user_id_idx" ON "sign_in_identities" USING btree ("user_id");