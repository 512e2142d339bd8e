CREATE TABLE "capture_arrivals" (
	"instance_id" uuid NOT NULL,
	"file_name" text NOT NULL,
	CONSTRAINT "capture_arrivals_pkey" PRIMARY KEY("instance_id","file_name")
);
--> statement-breakpoint
CREATE TABLE "capture_collections" (
	"instance_id" uuid PRIMARY KEY NOT NULL,
	"holder" uuid NOT NULL,
	"leased_until" timestamp with time zone NOT NULL,
	"collected_at" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"refused_files" bigint DEFAULT 0 NOT NULL,
	"refused_bytes" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "capture_runs" (
	"instance_id" uuid NOT NULL,
	"run" text NOT NULL,
	"packets" bigint NOT NULL,
	"dropped_packets" bigint NOT NULL,
	"lost_files" bigint NOT NULL,
	"lost_bytes" bigint NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone,
	"lost_at" timestamp with time zone,
	CONSTRAINT "capture_runs_pkey" PRIMARY KEY("instance_id","run")
);
--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "capture" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "capture_arrivals" ADD CONSTRAINT "capture_arrivals_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "capture_collections" ADD CONSTRAINT "capture_collections_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "capture_runs" ADD CONSTRAINT "capture_runs_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "captures_instance_id_idx" ON "captures" USING btree ("instance_id");--> statement-breakpoint
CREATE INDEX "instances_captured_idx" ON "instances" USING btree ("game_id","started_at") WHERE "instances"."capture";