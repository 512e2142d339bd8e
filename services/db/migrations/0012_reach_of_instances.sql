ALTER TABLE "challenges" ADD COLUMN "speaks" text DEFAULT 'tcp' NOT NULL;--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "is_raw_http" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "has_own_certificate" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "label" text;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "gateway_port" integer;--> statement-breakpoint
ALTER TABLE "proxy_connections" ADD COLUMN "way" text;--> statement-breakpoint
CREATE UNIQUE INDEX "instances_label_key" ON "instances" USING btree ("label");--> statement-breakpoint
CREATE UNIQUE INDEX "instances_gateway_port_key" ON "instances" USING btree ("gateway_port") WHERE "instances"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "instances_gateway_port_ended_at_idx" ON "instances" USING btree ("gateway_port","ended_at") WHERE "instances"."gateway_port" is not null;--> statement-breakpoint
DROP TRIGGER announce_update ON challenges;--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE OF game_id, title, content, category, type, hints, flag_template, is_enabled, file_name, attachment_id, container_image, memory_mb, cpu_tenths, storage_mb, exposed_port, capture_traffic, original_score, min_score_rate, difficulty, speaks, is_raw_http, has_own_certificate OR DELETE ON challenges FOR EACH ROW EXECUTE FUNCTION announce_change('challenge', 'id');
