BEGIN TRANSACTION;
CREATE TABLE answers (
	run_id TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	seat TEXT NOT NULL, 
	round INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	stance TEXT NOT NULL, 
	parsed TEXT NOT NULL, 
	late INTEGER NOT NULL CHECK (late IN (0, 1)), 
	created_at REAL NOT NULL, 
	PRIMARY KEY (run_id, "key"), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
INSERT INTO "answers" VALUES('rt_0123abcd','context','',0,'No real-time context available.','','','{}',0,1700000000.034);
INSERT INTO "answers" VALUES('rt_0123abcd','r1:devils-advocate','devils-advocate',1,'**THESIS:** Against the mood of the room, it would be a mistake to adopt uv now; for the time being, comfort is not an argument.
**KEY CLAIMS:**
1. If I had to win this dispute with one sentence, it would be that what works for ten cases would break at a thousand.
2. The smooth version skips the exceptions, where the awkward cases are many and would soon be the rule.
3. The worst outcome would be far more than embarrassing. Try to deny that without using the word hopefully.
**EVIDENCE / REASONING:** Do not take the objection on faith; play the thousandth case through on paper, and see whether the room stays calm.
**RISKS / WEAKNESSES:** Doubt is a habit, and habits mislead; for all I know, even a failure would teach something worth having.
**RECOMMENDATION:** Give the doubt one week: collect ten real cases and count the awkward ones, in writing, signed by someone in favour.
---
**SELF-DIGEST:**
Thesis: Against: it would be a mistake to adopt uv now.
C1: What works for ten cases would break at a thousand.
C2: The awkward cases are many and would soon be the rule.
C3: The worst outcome would be far more than embarrassing.
Evidence: Still to be gathered; play the thousandth case through on paper.
Risk: The lesson is lost because nobody writes it down.
[STANCE: DISAGREE]','Thesis: Against: it would be a mistake to adopt uv now.
C1: What works for ten cases would break at a thousand.
C2: The awkward cases are many and would soon be the rule.
C3: The worst outcome would be far more than embarrassing.
Evidence: Still to be gathered; play the thousandth case through on paper.
Risk: The lesson is lost because nobody writes it down.','DISAGREE','{"public": "**THESIS:** Against the mood of the room, it would be a mistake to adopt uv now; for the time being, comfort is not an argument.\n**KEY CLAIMS:**\n1. If I had to win this dispute with one sentence, it would be that what works for ten cases would break at a thousand.\n2. The smooth version skips the exceptions, where the awkward cases are many and would soon be the rule.\n3. The worst outcome would be far more than embarrassing. Try to deny that without using the word hopefully.\n**EVIDENCE / REASONING:** Do not take the objection on faith; play the thousandth case through on paper, and see whether the room stays calm.\n**RISKS / WEAKNESSES:** Doubt is a habit, and habits mislead; for all I know, even a failure would teach something worth having.\n**RECOMMENDATION:** Give the doubt one week: collect ten real cases and count the awkward ones, in writing, signed by someone in favour.", "claims": {"C1": "What works for ten cases would break at a thousand.", "C2": "The awkward cases are many and would soon be the rule.", "C3": "The worst outcome would be far more than embarrassing."}, "missing": []}',0,1700000002.080);
CREATE TABLE approvals (
	id TEXT NOT NULL, 
	run_id TEXT NOT NULL, 
	requested_action TEXT NOT NULL, 
	side_effect_kind TEXT NOT NULL CHECK (side_effect_kind IN ('write_external', 'deploy', 'merge', 'notify', 'destructive_edit', 'other')), 
	idempotency_key TEXT NOT NULL, 
	status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'request_changes')), 
	requested_by TEXT NOT NULL, 
	resolved_by TEXT, 
	note TEXT NOT NULL, 
	created_at REAL NOT NULL, 
	resolved_at REAL, 
	effect TEXT DEFAULT '' NOT NULL, 
	details TEXT DEFAULT '{}' NOT NULL, 
	rollback_hint TEXT DEFAULT '' NOT NULL, 
	attempt INTEGER DEFAULT '0' NOT NULL, 
	gates INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(run_id) REFERENCES runs (id), 
	UNIQUE (idempotency_key)
)
 STRICT

;
CREATE TABLE artifacts (
	id TEXT NOT NULL, 
	run_id TEXT NOT NULL, 
	attempt INTEGER NOT NULL, 
	kind TEXT NOT NULL CHECK (kind IN ('primary_output', 'test_report', 'diff', 'review_report', 'other')), 
	name TEXT NOT NULL, 
	content TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	size INTEGER NOT NULL, 
	produced_by TEXT NOT NULL CHECK (produced_by IN ('orchestrator', 'executor', 'spec_reviewer', 'quality_reviewer', 'approver', 'human')), 
	created_at REAL NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (run_id, attempt, kind, name), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
CREATE TABLE attempts (
	id TEXT NOT NULL, 
	run_id TEXT NOT NULL, 
	ordinal INTEGER NOT NULL, 
	runtime TEXT NOT NULL, 
	status TEXT NOT NULL CHECK (status IN ('running', 'succeeded', 'failed', 'aborted')), 
	error_summary TEXT NOT NULL, 
	started_at REAL NOT NULL, 
	finished_at REAL, 
	PRIMARY KEY (id), 
	UNIQUE (run_id, ordinal), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
INSERT INTO "attempts" VALUES('att_7d17a706','rt_0123abcd',1,'local','running','',1700000000.039,NULL);
CREATE TABLE ballots (
	run_id TEXT NOT NULL, 
	ballot TEXT NOT NULL CHECK (ballot IN ('before', 'after')), 
	person_id INTEGER NOT NULL, 
	choice TEXT NOT NULL, 
	confidence INTEGER, 
	cast_at REAL NOT NULL, 
	PRIMARY KEY (run_id, ballot, person_id), 
	CHECK (confidence BETWEEN 0 AND 100), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
CREATE TABLE budgets (
	run_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	person_id INTEGER NOT NULL, 
	guild_id INTEGER NOT NULL, 
	reserved_usd REAL DEFAULT '0' NOT NULL, 
	spent_usd REAL DEFAULT '0' NOT NULL, 
	reserved_tokens INTEGER DEFAULT '0' NOT NULL, 
	spent_tokens INTEGER DEFAULT '0' NOT NULL, 
	cap_usd REAL DEFAULT '0' NOT NULL, 
	closed_at REAL, 
	PRIMARY KEY (run_id, name), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
CREATE TABLE calls (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	run_id TEXT NOT NULL, 
	person_id INTEGER DEFAULT '0' NOT NULL, 
	guild_id INTEGER DEFAULT '0' NOT NULL, 
	"key" TEXT NOT NULL, 
	purpose TEXT NOT NULL, 
	seat TEXT, 
	attempt INTEGER NOT NULL, 
	provider TEXT NOT NULL, 
	model TEXT NOT NULL, 
	answered_model TEXT NOT NULL, 
	input_tokens INTEGER, 
	output_tokens INTEGER, 
	cached_tokens INTEGER, 
	cost_usd REAL, 
	charged_usd REAL DEFAULT '0' NOT NULL, 
	charged_tokens INTEGER DEFAULT '0' NOT NULL, 
	status TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'timeout')), 
	error_kind TEXT NOT NULL, 
	error_text TEXT NOT NULL, 
	started_at REAL NOT NULL, 
	finished_at REAL NOT NULL, 
	UNIQUE (run_id, "key", attempt), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
INSERT INTO "calls" VALUES(1,'rt_0123abcd',1174109840998400005,1174109840998400001,'r1:devils-advocate','round1','devils-advocate',1,'rehearsal','grok','grok',595,322,0,0.0,0.0,0,'ok','','',1700000000.043,1700000002.080);
CREATE TABLE designs (
	run_id TEXT NOT NULL, 
	texts TEXT NOT NULL, 
	PRIMARY KEY (run_id), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
INSERT INTO "designs" VALUES('rt_0123abcd','{"proposition": "We should adopt uv.", "options": [], "decision": "Manual panel: claude-opus, grok, gemini-pro", "meta": "Manual panel: claude-opus, grok, gemini-pro", "notices": [], "degradations": [], "priorities": {"Advocate": 0, "Devil''s Advocate": 0, "Analyst": 0}}');
CREATE TABLE discussions (
	run_id TEXT NOT NULL, 
	context TEXT NOT NULL, 
	created_by TEXT NOT NULL, 
	max_rounds INTEGER NOT NULL, 
	current_round INTEGER NOT NULL, 
	speech_order TEXT NOT NULL CHECK (speech_order IN ('fixed', 'random', 'priority', 'free')), 
	output_path TEXT, 
	link TEXT NOT NULL, 
	conclusion TEXT NOT NULL, 
	PRIMARY KEY (run_id), 
	CHECK (max_rounds >= 1), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
CREATE TABLE events (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	run_id TEXT NOT NULL, 
	type TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	actor TEXT NOT NULL CHECK (actor IN ('orchestrator', 'executor', 'spec_reviewer', 'quality_reviewer', 'approver', 'human')), 
	payload TEXT NOT NULL, 
	created_at REAL NOT NULL, 
	UNIQUE (run_id, type, "key"), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
INSERT INTO "events" VALUES(1,'rt_0123abcd','task.created','run','orchestrator','{"mode": "debate", "generation": 0, "seed": 27253635}',1700000000.000);
INSERT INTO "events" VALUES(2,'rt_0123abcd','post.sent','anchor#1','orchestrator','{"message_id": 1174110092656640006, "target_id": 1174109840998400008}',1700000000.014);
INSERT INTO "events" VALUES(3,'rt_0123abcd','place.opened','place','orchestrator','{"channel_id": 1174109840998400008, "thread_id": 1174110092656640006, "anchor_id": 1174110092656640006, "notices": []}',1700000000.017);
INSERT INTO "events" VALUES(4,'rt_0123abcd','post.sent','card#1','orchestrator','{"message_id": 1174110092656640008, "target_id": 1174110092656640006}',1700000000.024);
INSERT INTO "events" VALUES(5,'rt_0123abcd','spec.recorded','spec','orchestrator','{"goal": "the topic of the run", "scope_in": ["mode debate", "search"], "scope_out": ["effects outside the thread and the trigger channel", "running what a model wrote"], "inputs": ["the topic", "web search"], "outputs": ["posts in the thread", "conclusion", "minutes", "JSON file", "scorecard line"], "acceptance_criteria": ["at least one panelist answered", "the conclusion has every section", "no prompt was sent with an unfilled placeholder"], "risks": ["a model may be wrong, slow or missing", "what was found on the web may be untrue"]}',1700000000.030);
INSERT INTO "events" VALUES(6,'rt_0123abcd','task.transitioned','spec_review#1','orchestrator','{"from": "spec_draft", "to": "spec_review", "reason": "the request is complete"}',1700000000.030);
INSERT INTO "events" VALUES(7,'rt_0123abcd','search.done','search','orchestrator','{"status": "skipped", "results": [], "searched_on": "", "note": "A rehearsal does not search the web; set a search key in .env to try it."}',1700000000.033);
INSERT INTO "events" VALUES(8,'rt_0123abcd','attempt.checkpoint','context','orchestrator','{}',1700000000.035);
INSERT INTO "events" VALUES(9,'rt_0123abcd','run.designed','design','orchestrator','{"workflow": "parallel_debate", "rounds": 2, "models": {"claude-opus": {"key": "claude-opus", "provider": "rehearsal", "kind": "rehearsal", "wire_model": "claude-opus", "family": "claude", "tier": "premium", "effort": null}, "grok": {"key": "grok", "provider": "rehearsal", "kind": "rehearsal", "wire_model": "grok", "family": "grok", "tier": "premium", "effort": null}, "gemini-pro": {"key": "gemini-pro", "provider": "rehearsal", "kind": "rehearsal", "wire_model": "gemini-pro", "family": "gemini", "tier": "premium", "effort": null}, "gpt": {"key": "gpt", "provider": "rehearsal", "kind": "rehearsal", "wire_model": "gpt", "family": "gpt", "tier": "premium", "effort": null}, "mistral-large": {"key": "mistral-large", "provider": "rehearsal", "kind": "rehearsal", "wire_model": "mistral-large", "family": "mistral", "tier": "premium", "effort": null}, "claude-haiku": {"key": "claude-haiku", "provider": "rehearsal", "kind": "rehearsal", "wire_model": "claude-haiku", "family": "claude", "tier": "cheap", "effort": null}, "claude-sonnet": {"key": "claude-sonnet", "provider": "rehearsal", "kind": "rehearsal", "wire_model": "claude-sonnet", "family": "claude", "tier": "mid", "effort": null}}, "synthesis": ["gpt", "mistral-large"], "coordinators": ["claude-haiku", "claude-opus"], "rehearsal": true, "speech_order": "fixed", "early_exit": true, "prompts": {"proposition": "695aa5747deb", "meta-panel": "a2accae1057f", "round1": "33bcfe22c69f", "round2-cross-critique": "bb027350a061", "round3-validation": "1ccb06683b28", "final-synthesis": "3becca295aae", "rolling-summary": "ba20b9a9b4e5", "search-digest": "78340b53c0b4", "follow-up": "7c2e0c6ce06e", "discussion-participant": "4436958b477d", "discussion-coordinator": "d40daee70e8a", "dissent": "da199a13fc71", "build-spec": "cc0c5152ea12", "build-spec-review": "64960dc43eac", "build-files": "90df6132af9b", "build-spec-gate": "5f030ce2d651", "build-quality-gate": "1543fc147883"}, "seed": 27253635, "stronger": {"models": [], "fallback": "claude-opus"}, "estimate": {"least_calls": 5, "most_calls": 10, "least_usd": 0.0, "most_usd": 0.0, "most_tokens": 0, "unpriced": []}}',1700000000.038);
INSERT INTO "events" VALUES(10,'rt_0123abcd','task.transitioned','execution_ready#1','orchestrator','{"from": "spec_review", "to": "execution_ready", "reason": "the panel is seated"}',1700000000.039);
INSERT INTO "events" VALUES(11,'rt_0123abcd','attempt.started','1','orchestrator','{"id": "att_7d17a706", "runtime": "local"}',1700000000.039);
INSERT INTO "events" VALUES(12,'rt_0123abcd','task.transitioned','executing#1','orchestrator','{"from": "execution_ready", "to": "executing", "reason": "the panel is seated"}',1700000000.040);
INSERT INTO "events" VALUES(13,'rt_0123abcd','attempt.checkpoint','floor:r1','orchestrator','{"newest": 0}',1700000000.041);
INSERT INTO "events" VALUES(14,'rt_0123abcd','attempt.checkpoint','answer:r1:devils-advocate','executor','{"seat": "devils-advocate", "round": 1}',1700000002.083);
INSERT INTO "events" VALUES(15,'rt_0123abcd','call.done','r1:devils-advocate','orchestrator','{"status": "ok", "model": "grok", "answered_model": "grok", "seconds": 2.037, "problem": "", "odd_usage": false, "remarks": []}',1700000002.083);
CREATE TABLE files (
	run_id TEXT NOT NULL, 
	stem TEXT NOT NULL, 
	PRIMARY KEY (run_id), 
	FOREIGN KEY(run_id) REFERENCES runs (id), 
	UNIQUE (stem)
)
 STRICT

;
CREATE TABLE findings (
	run_id TEXT NOT NULL, 
	round INTEGER NOT NULL, 
	kind TEXT NOT NULL CHECK (kind IN ('consensus', 'disagreement', 'new_point')), 
	ordinal INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	made_by TEXT NOT NULL, 
	PRIMARY KEY (run_id, round, kind, ordinal), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
CREATE TABLE inbound (
	message_id INTEGER NOT NULL, 
	channel_id INTEGER NOT NULL, 
	guild_id INTEGER NOT NULL, 
	author_id INTEGER NOT NULL, 
	run_id TEXT, 
	kind TEXT NOT NULL CHECK (kind IN ('trigger', 'command', 'floor', 'follow_up', 'other')), 
	content TEXT NOT NULL, 
	created_at REAL NOT NULL, 
	seen_at REAL NOT NULL, 
	PRIMARY KEY (message_id), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
INSERT INTO "inbound" VALUES(1174110092656640005,1174109840998400008,1174109840998400001,1174109840998400005,NULL,'trigger','roundtable --panel opus,grok,gemini --debate should we adopt uv?',1700000060.000,1699999999.889);
CREATE TABLE participants (
	run_id TEXT NOT NULL, 
	profile TEXT NOT NULL, 
	ordinal INTEGER NOT NULL, 
	role TEXT NOT NULL, 
	perspective TEXT NOT NULL, 
	display_name TEXT NOT NULL, 
	priority INTEGER DEFAULT '0' NOT NULL, 
	active INTEGER NOT NULL CHECK (active IN (0, 1)), 
	wants_end INTEGER NOT NULL CHECK (wants_end IN (0, 1)), 
	PRIMARY KEY (run_id, profile), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
CREATE TABLE posts (
	run_id TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	part INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	target_id INTEGER NOT NULL, 
	kind TEXT NOT NULL CHECK (kind IN ('bot', 'webhook', 'edit')), 
	speaker TEXT NOT NULL, 
	body TEXT NOT NULL, 
	attachments TEXT NOT NULL, 
	nonce TEXT NOT NULL, 
	state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'sent', 'failed')), 
	message_id INTEGER, 
	created_at REAL NOT NULL, 
	attempted_at REAL, 
	sent_at REAL, 
	error TEXT NOT NULL, 
	PRIMARY KEY (run_id, "key", part), 
	CHECK (length(nonce) <= 25), 
	FOREIGN KEY(run_id) REFERENCES runs (id), 
	UNIQUE (nonce)
)
 STRICT

;
INSERT INTO "posts" VALUES('rt_0123abcd','anchor',1,1,1174109840998400008,'bot','{"name": "Roundtable", "seat": "", "face": ""}','🎯 **Roundtable** · debate · asked by <@1174109840998400005>
should we adopt uv?','[]','hsbz3ikwgemqt5f4ffimviull','sent',1174110092656640006,1700000000.008,1700000000.008,1700000000.014,'');
INSERT INTO "posts" VALUES('rt_0123abcd','card',1,2,1174110092656640006,'bot','{"name": "Roundtable", "seat": ""}','','[]','x7zxamfl2m4ttdc4v56juhjgf','sent',1174110092656640008,1700000000.024,NULL,1700000000.024,'');
CREATE TABLE reviews (
	id TEXT NOT NULL, 
	run_id TEXT NOT NULL, 
	attempt INTEGER NOT NULL, 
	review_type TEXT NOT NULL CHECK (review_type IN ('spec', 'quality')), 
	reviewer TEXT NOT NULL, 
	verdict TEXT NOT NULL CHECK (verdict IN ('approved', 'changes_requested', 'blocked')), 
	summary TEXT NOT NULL, 
	findings TEXT NOT NULL, 
	created_at REAL NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (run_id, attempt, review_type, reviewer), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
CREATE TABLE runs (
	id TEXT NOT NULL, 
	guild_id INTEGER NOT NULL, 
	trigger_channel_id INTEGER NOT NULL, 
	trigger_message_id INTEGER, 
	output_channel_id INTEGER NOT NULL, 
	anchor_id INTEGER, 
	thread_id INTEGER, 
	starter_id INTEGER NOT NULL, 
	mode TEXT NOT NULL CHECK (mode IN ('debate', 'build', 'redteam', 'vote', 'default')), 
	topic TEXT NOT NULL, 
	topic_key TEXT NOT NULL, 
	generation INTEGER DEFAULT '0' NOT NULL, 
	phase TEXT NOT NULL CHECK (phase IN ('spec_draft', 'spec_review', 'execution_ready', 'executing', 'spec_gate', 'quality_gate', 'awaiting_approval', 'ready_to_resume', 'completed', 'failed', 'circuit_open')), 
	attempt INTEGER DEFAULT '0' NOT NULL, 
	request TEXT NOT NULL, 
	seed INTEGER NOT NULL, 
	status_reason TEXT NOT NULL, 
	created_at REAL NOT NULL, 
	updated_at REAL NOT NULL, 
	finished_at REAL, 
	title TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (id)
)
 STRICT

;
INSERT INTO "runs" VALUES('rt_0123abcd',1174109840998400001,1174109840998400008,1174110092656640005,1174109840998400008,1174110092656640006,1174110092656640006,1174109840998400005,'debate','should we adopt uv?','ae2366e5dae11d7967569f61c23ebb22',0,'executing',1,'{"mode_forced": true, "quick": false, "panel": ["opus", "grok", "gemini"], "validate": false, "search": true, "context_from": null, "link": null, "rounds": null, "masked": false, "offers_build": false, "notices": [], "estimate": {"least_calls": 5, "most_calls": 10, "least_usd": 0.0, "most_usd": 0.0, "most_tokens": 0, "unpriced": []}, "thread_id": null, "context_run": null}',27253635,'the panel is seated',1700000000.000,1700000000.040,NULL,'should we adopt uv?');
CREATE TABLE schema_version (
	version INTEGER NOT NULL, 
	applied_at REAL NOT NULL, 
	PRIMARY KEY (version)
)
 STRICT

;
INSERT INTO "schema_version" VALUES(1,1699999999.799);
INSERT INTO "schema_version" VALUES(2,1699999999.799);
INSERT INTO "schema_version" VALUES(3,1699999999.799);
INSERT INTO "schema_version" VALUES(4,1699999999.799);
INSERT INTO "schema_version" VALUES(5,1699999999.799);
INSERT INTO "schema_version" VALUES(6,1699999999.799);
INSERT INTO "schema_version" VALUES(7,1699999999.799);
INSERT INTO "schema_version" VALUES(8,1699999999.799);
INSERT INTO "schema_version" VALUES(9,1699999999.799);
INSERT INTO "schema_version" VALUES(10,1699999999.799);
INSERT INTO "schema_version" VALUES(11,1699999999.799);
CREATE TABLE seats (
	run_id TEXT NOT NULL, 
	seat TEXT NOT NULL, 
	ordinal INTEGER NOT NULL, 
	stage INTEGER DEFAULT '1' NOT NULL, 
	role TEXT NOT NULL, 
	model TEXT NOT NULL, 
	provider TEXT NOT NULL, 
	wire_model TEXT NOT NULL, 
	family TEXT NOT NULL, 
	fallback TEXT NOT NULL, 
	perspective TEXT NOT NULL, 
	task TEXT NOT NULL, 
	session_key TEXT NOT NULL, 
	status TEXT NOT NULL CHECK (status IN ('seated', 'timed out', 'failed', 'closed')), 
	last_activity REAL, 
	external_session_ref TEXT, 
	PRIMARY KEY (run_id, seat), 
	FOREIGN KEY(run_id) REFERENCES runs (id), 
	UNIQUE (session_key)
)
 STRICT

;
INSERT INTO "seats" VALUES('rt_0123abcd','advocate',0,1,'Advocate','claude-opus','rehearsal','claude-opus','claude','claude-sonnet','argues for the proposal as strongly as the facts allow','','rt_0123abcd:advocate','seated',NULL,NULL);
INSERT INTO "seats" VALUES('rt_0123abcd','devils-advocate',1,1,'Devil''s Advocate','grok','rehearsal','grok','grok','claude-sonnet','looks for the strongest case against it','','rt_0123abcd:devils-advocate','seated',NULL,NULL);
INSERT INTO "seats" VALUES('rt_0123abcd','analyst',2,1,'Analyst','gemini-pro','rehearsal','gemini-pro','gemini','claude-sonnet','weighs evidence, numbers and base rates','','rt_0123abcd:analyst','seated',NULL,NULL);
CREATE TABLE servers (
	guild_id INTEGER NOT NULL, 
	admin_channel_id INTEGER, 
	paused_by INTEGER, 
	paused_at REAL, 
	left_at REAL, 
	PRIMARY KEY (guild_id)
)
 STRICT

;
INSERT INTO "servers" VALUES(1174109840998400001,NULL,NULL,NULL,NULL);
CREATE TABLE speeches (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	run_id TEXT NOT NULL, 
	round INTEGER NOT NULL, 
	participant TEXT NOT NULL, 
	content TEXT NOT NULL, 
	reply_to INTEGER, 
	created_at REAL NOT NULL, 
	FOREIGN KEY(run_id) REFERENCES runs (id), 
	FOREIGN KEY(reply_to) REFERENCES speeches (id)
)
 STRICT

;
CREATE TABLE starts (
	guild_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	run_id TEXT NOT NULL, 
	at REAL NOT NULL, 
	PRIMARY KEY (guild_id, person_id), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
INSERT INTO "starts" VALUES(1174109840998400001,1174109840998400005,'rt_0123abcd',1700000000.000);
CREATE TABLE terms (
	id INTEGER NOT NULL, 
	process TEXT NOT NULL, 
	PRIMARY KEY (id)
)
 STRICT

;
CREATE TABLE turns (
	run_id TEXT NOT NULL, 
	seat TEXT NOT NULL, 
	ordinal INTEGER NOT NULL, 
	voice TEXT NOT NULL CHECK (voice IN ('heard', 'said')), 
	author TEXT NOT NULL, 
	text TEXT NOT NULL, 
	message_id INTEGER, 
	created_at REAL NOT NULL, 
	PRIMARY KEY (run_id, seat, ordinal), 
	FOREIGN KEY(run_id) REFERENCES runs (id)
)
 STRICT

;
CREATE UNIQUE INDEX one_open_run_per_topic ON runs (guild_id, output_channel_id, mode, topic_key, generation) WHERE finished_at IS NULL;
CREATE INDEX runs_by_starter ON runs (starter_id);
CREATE INDEX runs_by_thread ON runs (thread_id);
CREATE INDEX runs_by_topic ON runs (guild_id, output_channel_id, mode, topic_key);
CREATE INDEX speeches_by_run ON speeches (run_id, id);
CREATE INDEX speeches_by_round ON speeches (run_id, round);
CREATE INDEX calls_by_server ON calls (guild_id, finished_at);
CREATE INDEX calls_by_person ON calls (person_id, finished_at);
CREATE INDEX budgets_by_person ON budgets (person_id, closed_at);
CREATE INDEX budgets_by_server ON budgets (guild_id, closed_at);
CREATE INDEX ballots_by_person ON ballots (person_id);
CREATE INDEX posts_by_target ON posts (target_id, state);
CREATE INDEX posts_by_message ON posts (message_id);
CREATE INDEX inbound_by_author ON inbound (author_id);
CREATE INDEX inbound_by_run ON inbound (run_id);
CREATE INDEX turns_by_message ON turns (message_id);
CREATE TRIGGER events_no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',15);
INSERT INTO "sqlite_sequence" VALUES('calls',1);
COMMIT;
