-- Every change of a scoreboard enters the change feed: `board 5` for game 5 and its challenges, `board 5 12` for the row of team 12,
-- `board 5 12 name` for a change that moves no team. The table scoreboard_versions and the column solves.board_version are no longer
-- read. They stay, since the previous version writes them while both run.
CREATE FUNCTION announce_board() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Arguments: the columns with the game and the team; without the second the whole board changes.
  INSERT INTO changes (key)
  SELECT DISTINCT 'board ' || (changed ->> TG_ARGV[0]) || coalesce(' ' || (changed ->> TG_ARGV[1]), '')
  FROM (VALUES (to_jsonb(OLD)), (to_jsonb(NEW))) AS rows (changed)
  WHERE changed IS NOT NULL;
  RETURN NULL;
END
$$;--> statement-breakpoint
-- For tables with the columns game_id and participation_id.
CREATE FUNCTION announce_board_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (key)
  SELECT DISTINCT 'board ' || changed.game_id || ' ' || participations.team_id
  FROM changed JOIN participations ON participations.id = changed.participation_id;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE FUNCTION announce_team_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (key)
  SELECT 'board ' || game_id || ' ' || team_id || ' name' FROM participations WHERE team_id = NEW.id;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE FUNCTION announce_user_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (key)
  SELECT DISTINCT 'board ' || solves.game_id || ' ' || participations.team_id || ' name'
  FROM solves JOIN participations ON participations.id = solves.participation_id WHERE solves.user_id = NEW.id;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER announce_board_update AFTER UPDATE OF starts_at, ends_at, practice_mode, writeup_deadline, blood_bonus ON games FOR EACH ROW WHEN ((OLD.starts_at, OLD.ends_at, OLD.practice_mode, OLD.writeup_deadline, OLD.blood_bonus) IS DISTINCT FROM (NEW.starts_at, NEW.ends_at, NEW.practice_mode, NEW.writeup_deadline, NEW.blood_bonus)) EXECUTE FUNCTION announce_board('id');--> statement-breakpoint
CREATE TRIGGER announce_board_delete AFTER DELETE ON games FOR EACH ROW EXECUTE FUNCTION announce_board('id');--> statement-breakpoint
CREATE TRIGGER announce_board_update AFTER UPDATE OF game_id, title, category, type, is_enabled, original_score, min_score_rate, difficulty, attachment_id, tags, level ON challenges FOR EACH ROW WHEN ((OLD.game_id, OLD.title, OLD.category, OLD.type, OLD.is_enabled, OLD.original_score, OLD.min_score_rate, OLD.difficulty, OLD.attachment_id, OLD.tags, OLD.level) IS DISTINCT FROM (NEW.game_id, NEW.title, NEW.category, NEW.type, NEW.is_enabled, NEW.original_score, NEW.min_score_rate, NEW.difficulty, NEW.attachment_id, NEW.tags, NEW.level)) EXECUTE FUNCTION announce_board('game_id');--> statement-breakpoint
CREATE TRIGGER announce_board_insert AFTER INSERT OR DELETE ON challenges FOR EACH ROW EXECUTE FUNCTION announce_board('game_id');--> statement-breakpoint
CREATE TRIGGER announce_board_update AFTER INSERT OR UPDATE OF game_id, team_id, status, division OR DELETE ON participations FOR EACH ROW EXECUTE FUNCTION announce_board('game_id', 'team_id');--> statement-breakpoint
CREATE TRIGGER announce_board_update AFTER UPDATE OF name, bio, avatar_hash ON teams FOR EACH ROW WHEN ((OLD.name, OLD.bio, OLD.avatar_hash) IS DISTINCT FROM (NEW.name, NEW.bio, NEW.avatar_hash)) EXECUTE FUNCTION announce_team_name();--> statement-breakpoint
CREATE TRIGGER announce_board_update AFTER UPDATE OF user_name ON users FOR EACH ROW WHEN (OLD.user_name IS DISTINCT FROM NEW.user_name) EXECUTE FUNCTION announce_user_name();--> statement-breakpoint
CREATE TRIGGER announce_board_insert AFTER INSERT ON solves REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_before AFTER UPDATE ON solves REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_after AFTER UPDATE ON solves REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_delete AFTER DELETE ON solves REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_insert AFTER INSERT ON awards REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_before AFTER UPDATE ON awards REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_after AFTER UPDATE ON awards REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_delete AFTER DELETE ON awards REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();
