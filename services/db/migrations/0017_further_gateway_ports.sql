CREATE TABLE "further_gateway_ports" (
	"gateway_port" integer PRIMARY KEY NOT NULL,
	"instance_id" uuid NOT NULL,
	"port" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "proxy_connections" ADD COLUMN "port" integer;--> statement-breakpoint
ALTER TABLE "further_gateway_ports" ADD CONSTRAINT "further_gateway_ports_instance_id_instances_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "further_gateway_ports_instance_id_idx" ON "further_gateway_ports" USING btree ("instance_id");