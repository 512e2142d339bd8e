ALTER TABLE "mail_tokens" ADD COLUMN "password_hash" text;--> statement-breakpoint
-- The registration that creates an account also sends its first link, which is valid for three hours. Later links may come from other
-- registrations, whose passwords were not stored.
UPDATE mail_tokens SET password_hash = users.password_hash FROM users
WHERE users.id = mail_tokens.user_id AND purpose = 'activation' AND users.password_hash <> 'none'
  AND expires_at <= registered_at + interval '3 hours 10 seconds';
