ALTER TABLE "users" ADD COLUMN "proven_email" text;--> statement-breakpoint
-- A provider links the account that it creates at the time of the registration. Only a mailed link that activates the account sets a
-- later time. Accounts without a password come from a provider, even if that link was deleted.
UPDATE users SET proven_email = email
WHERE email_confirmed AND (
  EXISTS (SELECT FROM sign_in_identities WHERE user_id = users.id AND linked_at < registered_at)
  OR password_hash <> 'none'
    AND NOT EXISTS (SELECT FROM sign_in_identities WHERE user_id = users.id AND linked_at = registered_at)
);
