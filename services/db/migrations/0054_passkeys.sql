CREATE TABLE "passkeys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"credential_id" text NOT NULL,
	"public_key" text NOT NULL,
	"sign_count" bigint NOT NULL,
	"transports" text[] NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "passkeys_credential_id_unique" UNIQUE("credential_id")
);
--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "passkeys_by_user" ON "passkeys" USING btree ("user_id");--> statement-breakpoint
-- Cached sessions contain whether the required second factor is missing.
CREATE TRIGGER announce_factor AFTER INSERT OR DELETE ON totp_factors FOR EACH ROW EXECUTE FUNCTION announce_change('user', 'user_id');--> statement-breakpoint
CREATE TRIGGER announce_factor AFTER INSERT OR DELETE ON passkeys FOR EACH ROW EXECUTE FUNCTION announce_change('user', 'user_id');--> statement-breakpoint
CREATE TRIGGER announce_settings AFTER INSERT OR UPDATE OR DELETE ON platform_settings FOR EACH ROW EXECUTE FUNCTION announce_change('settings', 'section');--> statement-breakpoint
DROP TRIGGER announce_update ON users;--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE OF user_name, role, password_hash ON users FOR EACH ROW EXECUTE FUNCTION announce_change('user', 'id');
