-- Players see ids that count only what their own team did, and notices have ids that do not count bloods. Earlier rows retain their ids.
CREATE SEQUENCE "public"."blood_notice_ids" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1073741824 CACHE 1;--> statement-breakpoint
CREATE TABLE "submission_counters" (
	"participation_id" integer PRIMARY KEY NOT NULL,
	"last" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "number" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "submission_counters" ADD CONSTRAINT "submission_counters_participation_id_participations_id_fk" FOREIGN KEY ("participation_id") REFERENCES "public"."participations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
UPDATE "submissions" SET "number" = "id";--> statement-breakpoint
INSERT INTO "submission_counters" ("participation_id", "last")
SELECT "participation_id", max("id") FROM "submissions" GROUP BY "participation_id";--> statement-breakpoint
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_participation_id_number_key" UNIQUE("participation_id","number");--> statement-breakpoint
-- The row lock on the counter serializes the submissions of one team until the commit, so the numbers have no gaps.
CREATE FUNCTION number_submission() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO submission_counters AS counter (participation_id, last) VALUES (NEW.participation_id, 1)
  ON CONFLICT (participation_id) DO UPDATE SET last = counter.last + 1
  RETURNING counter.last INTO NEW.number;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER number_submission BEFORE INSERT ON submissions FOR EACH ROW EXECUTE FUNCTION number_submission();
