ALTER TABLE "challenges" ADD COLUMN "tags" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "level" text;--> statement-breakpoint
ALTER TABLE "challenges" ADD CONSTRAINT "challenges_level_check" CHECK ("challenges"."level" in ('beginner', 'easy', 'medium', 'hard', 'insane'));--> statement-breakpoint
DROP TRIGGER announce_update ON challenges;--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE OF game_id, title, content, category, type, hints, flag_template, is_enabled, file_name, attachment_id, container_image, memory_mb, cpu_tenths, storage_mb, exposed_port, capture_traffic, original_score, min_score_rate, difficulty, speaks, is_raw_http, has_own_certificate, is_guarded, container, container_secrets, tags, level OR DELETE ON challenges FOR EACH ROW EXECUTE FUNCTION announce_change('challenge', 'id');
