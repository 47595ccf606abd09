-- A database as version 1 left it, with some data.

CREATE TABLE schema_version (
    version INTEGER NOT NULL,
    applied_at REAL NOT NULL,
    PRIMARY KEY (version)
) STRICT;

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
    PRIMARY KEY (id)
) STRICT;

CREATE INDEX runs_by_thread ON runs (thread_id);

CREATE INDEX runs_by_starter ON runs (starter_id);

CREATE UNIQUE INDEX one_open_run_per_topic ON runs (guild_id, output_channel_id, mode, topic_key, generation) WHERE finished_at IS NULL;

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
) STRICT;

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
) STRICT;

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
) STRICT;

CREATE TABLE calls (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL,
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
    status TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'timeout')),
    error_kind TEXT NOT NULL,
    error_text TEXT NOT NULL,
    started_at REAL NOT NULL,
    finished_at REAL NOT NULL,
    UNIQUE (run_id, "key", attempt),
    FOREIGN KEY(run_id) REFERENCES runs (id)
) STRICT;

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
) STRICT;

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
) STRICT;

CREATE INDEX posts_by_message ON posts (message_id);

CREATE INDEX posts_by_target ON posts (target_id, state);

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
) STRICT;

CREATE INDEX inbound_by_run ON inbound (run_id);

CREATE INDEX inbound_by_author ON inbound (author_id);

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
) STRICT;

CREATE INDEX turns_by_message ON turns (message_id);

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
) STRICT;

CREATE TABLE files (
    run_id TEXT NOT NULL,
    stem TEXT NOT NULL,
    PRIMARY KEY (run_id),
    FOREIGN KEY(run_id) REFERENCES runs (id),
    UNIQUE (stem)
) STRICT;

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
) STRICT;

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
    PRIMARY KEY (id),
    FOREIGN KEY(run_id) REFERENCES runs (id),
    UNIQUE (idempotency_key)
) STRICT;

CREATE TRIGGER events_no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;

CREATE TRIGGER events_no_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;

INSERT INTO schema_version VALUES (1, 1.0);

INSERT INTO runs VALUES
    ('rt_00000001', 1, 20, 300, 20, 301, 302, 4000, 'debate', 'Tabs or spaces?', 'tabs-or-spaces', 0,
     'completed', 1, '{"validate": false}', 7, 'concluded', 10.0, 20.0, 20.0);

INSERT INTO events (run_id, type, "key", actor, payload, created_at) VALUES
    ('rt_00000001', 'task.created', 'run', 'orchestrator', '{}', 10.0);

INSERT INTO approvals VALUES
    ('apr_00000001', 'rt_00000001', 'post elsewhere', 'notify', 'k', 'pending', 'council', NULL, '',
     15.0, NULL);
