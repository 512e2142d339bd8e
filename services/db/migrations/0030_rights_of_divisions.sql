-- An edit of a game by the previous version replaces the rows of its divisions, with all rights and new ids. Participations refer to
-- divisions by name, so they are unaffected.
CREATE TABLE "division_challenges" (
	"division_id" integer NOT NULL,
	"challenge_id" integer NOT NULL,
	"permissions" integer NOT NULL,
	CONSTRAINT "division_challenges_pkey" PRIMARY KEY("division_id","challenge_id"),
	CONSTRAINT "division_challenges_permissions_check" CHECK ("division_challenges"."permissions" >= 0)
);
--> statement-breakpoint
ALTER TABLE "divisions" DROP CONSTRAINT "divisions_pkey";--> statement-breakpoint
ALTER TABLE "divisions" ADD COLUMN "id" integer PRIMARY KEY NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "divisions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1);--> statement-breakpoint
ALTER TABLE "divisions" ADD COLUMN "permissions" integer;--> statement-breakpoint
ALTER TABLE "division_challenges" ADD CONSTRAINT "division_challenges_division_id_divisions_id_fk" FOREIGN KEY ("division_id") REFERENCES "public"."divisions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "division_challenges" ADD CONSTRAINT "division_challenges_challenge_id_challenges_id_fk" FOREIGN KEY ("challenge_id") REFERENCES "public"."challenges"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "division_challenges_challenge_id_idx" ON "division_challenges" USING btree ("challenge_id");--> statement-breakpoint
ALTER TABLE "divisions" ADD CONSTRAINT "divisions_game_id_name_key" UNIQUE("game_id","name");--> statement-breakpoint
ALTER TABLE "divisions" ADD CONSTRAINT "divisions_permissions_check" CHECK ("divisions"."permissions" >= 0);--> statement-breakpoint
CREATE FUNCTION announce_division_challenge() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (key)
  SELECT DISTINCT kind || ' ' || divisions.game_id
  FROM (VALUES ('board'), ('game')) AS kinds (kind), divisions
  WHERE divisions.id = coalesce(NEW.division_id, OLD.division_id);
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER announce_update AFTER INSERT OR UPDATE OR DELETE ON division_challenges FOR EACH ROW EXECUTE FUNCTION announce_division_challenge();--> statement-breakpoint
CREATE TRIGGER announce_update AFTER INSERT OR UPDATE OR DELETE ON divisions FOR EACH ROW EXECUTE FUNCTION announce_change('game', 'game_id');--> statement-breakpoint
CREATE TRIGGER announce_board_insert AFTER INSERT OR DELETE ON divisions FOR EACH ROW EXECUTE FUNCTION announce_board('game_id');--> statement-breakpoint
CREATE TRIGGER announce_board_update AFTER UPDATE OF game_id, name, permissions ON divisions FOR EACH ROW WHEN ((OLD.game_id, OLD.name, OLD.permissions) IS DISTINCT FROM (NEW.game_id, NEW.name, NEW.permissions)) EXECUTE FUNCTION announce_board('game_id');
