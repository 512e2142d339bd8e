CREATE TABLE "changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"transaction" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"key" text NOT NULL,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
DROP INDEX "solves_challenge_id_idx";--> statement-breakpoint
CREATE INDEX "changes_transaction_idx" ON "changes" USING btree ("transaction");--> statement-breakpoint
CREATE INDEX "solves_challenge_id_solved_at_idx" ON "solves" USING btree ("challenge_id","solved_at");--> statement-breakpoint
-- Arguments: the kind of key, and the column that holds the id.
CREATE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (key) SELECT TG_ARGV[0] || ' ' || (to_jsonb(coalesce(OLD, NEW)) ->> TG_ARGV[1]);
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE OF user_name, role ON users FOR EACH ROW EXECUTE FUNCTION announce_change('user', 'id');--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION announce_change('session', 'token_hash');--> statement-breakpoint
CREATE TRIGGER announce_delete AFTER DELETE ON sessions FOR EACH ROW WHEN (OLD.expires_at > now()) EXECUTE FUNCTION announce_change('session', 'token_hash');--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE OR DELETE ON teams FOR EACH ROW EXECUTE FUNCTION announce_change('team', 'id');--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE OR DELETE ON games FOR EACH ROW EXECUTE FUNCTION announce_change('game', 'id');--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE OR DELETE ON participations FOR EACH ROW EXECUTE FUNCTION announce_change('participation', 'id');--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE OR DELETE ON participation_members FOR EACH ROW EXECUTE FUNCTION announce_change('participation', 'participation_id');--> statement-breakpoint
-- Not for accepted_count, which every solve raises.
CREATE TRIGGER announce_update AFTER UPDATE OF game_id, title, content, category, type, hints, flag_template, is_enabled, file_name, attachment_id, container_image, memory_mb, cpu_tenths, storage_mb, exposed_port, capture_traffic, original_score, min_score_rate, difficulty OR DELETE ON challenges FOR EACH ROW EXECUTE FUNCTION announce_change('challenge', 'id');--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE ON attachments FOR EACH ROW EXECUTE FUNCTION announce_change('attachment', 'id');--> statement-breakpoint
CREATE TRIGGER announce_update AFTER INSERT OR UPDATE OR DELETE ON flags FOR EACH ROW EXECUTE FUNCTION announce_change('challenge', 'challenge_id');--> statement-breakpoint
-- Not when a flag is fixed: nothing is kept of an assignment that has none.
CREATE TRIGGER announce_update AFTER UPDATE OF flag, flag_id ON assignments FOR EACH ROW WHEN (OLD.flag IS NOT NULL) EXECUTE FUNCTION announce_change('participation', 'participation_id');--> statement-breakpoint
CREATE TRIGGER announce_delete AFTER DELETE ON assignments FOR EACH ROW EXECUTE FUNCTION announce_change('participation', 'participation_id');--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE OF status ON submissions FOR EACH ROW EXECUTE FUNCTION announce_change('challenge', 'challenge_id');
