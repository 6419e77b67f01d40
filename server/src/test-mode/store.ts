import { sql } from 'kysely'
import type pg from 'pg'
import { openClient } from '../db/connections.ts'
import type { Db } from '../db/open.ts'
import type { ClockState } from './clock.ts'
import type { DatabaseFaults } from './faults.ts'

/** The database with the demo data, from which each reset copies. */
const TEMPLATE = 'latchkey_template'

/** The database of the first start. The prepared folder contains it, so that the start need not copy. */
export const FIRST_DATABASE = 'latchkey'

/**
 * What the database does differently in test mode. The row of `test_mode.state` says which faults there are. Rate
 * limits count nothing. The signing key has always existed, so that it can sign whatever the clock says. The trigger of
 * grants replaces one that compares with the real time.
 */
const TEST_MODE_OBJECTS = `
  create schema test_mode;
  create table test_mode.state (
    clock_offset interval not null default '0',
    frozen_at timestamptz,
    mail_lost boolean not null default false,
    webhook_delay interval not null default '0'
  );
  insert into test_mode.state default values;

  create function test_mode.now() returns timestamptz language sql volatile as $$
    select coalesce(frozen_at, clock_timestamp() + clock_offset) from test_mode.state
  $$;
  alter table license_ledger alter column occurred_at set default test_mode.now();
  drop trigger announce on grants;
  create trigger announce after delete on grants for each row execute function announce_change('grant', 'id');
  update signing_keys set created_at = 'epoch', activates_at = 'epoch';

  create function test_mode.discard() returns trigger language plpgsql as $$ begin return null; end $$;
  create trigger test_mode_no_limits before insert on throttle for each row execute function test_mode.discard();

  create function test_mode.lose_mail() returns trigger language plpgsql as $$
  begin
    if (select mail_lost from test_mode.state) then return null; end if;
    return new;
  end
  $$;
  create trigger test_mode_mail before insert on mail_messages for each row execute function test_mode.lose_mail();

  create function test_mode.delay_webhooks() returns trigger language plpgsql as $$
  begin
    new.due_at := new.due_at + (select webhook_delay from test_mode.state);
    return new;
  end
  $$;
  create trigger test_mode_webhooks before insert on webhook_lanes
    for each row execute function test_mode.delay_webhooks();
`

export const toSettings = (socketDir: string, database: string): pg.ClientConfig => ({
  application_name: 'latchkey',
  host: socketDir,
  user: 'latchkey',
  database,
})

/** Runs statements in their own connection. */
async function runStatements(settings: pg.ClientConfig, statements: string[]): Promise<void> {
  const client = openClient(settings)
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Only the superuser may create and drop databases. */
const runAsSuperuser = (socketDir: string, statements: string[]): Promise<void> =>
  runStatements({ host: socketDir, user: 'postgres', database: 'postgres' }, statements)

const copyStatement = (name: string) => `create database ${name} owner latchkey template ${TEMPLATE} strategy file_copy`

/** Turns the database that holds the demo data into the template, and copies it for the first start. */
export async function createTemplate(socketDir: string): Promise<void> {
  await runStatements(toSettings(socketDir, FIRST_DATABASE), [TEST_MODE_OBJECTS])
  await runAsSuperuser(socketDir, [
    `alter database ${FIRST_DATABASE} rename to ${TEMPLATE}`,
    copyStatement(FIRST_DATABASE),
  ])
}

export const copyTemplate = (socketDir: string, name: string): Promise<void> =>
  runAsSuperuser(socketDir, [copyStatement(name)])

export const dropDatabase = (socketDir: string, name: string): Promise<void> =>
  runAsSuperuser(socketDir, [`drop database if exists ${name} with (force)`])

/** The token of a machine is bound to the id of its client's secret. New ids end the tokens of earlier copies. */
export async function renewSecretIds(db: Db): Promise<void> {
  await sql`update client_secrets set id = gen_random_uuid()`.execute(db)
}

export async function saveState(
  db: Db,
  { offsetMs, frozenAt }: ClockState,
  { isMailLost, webhookDelayMs }: DatabaseFaults,
): Promise<void> {
  await sql`
    update test_mode.state set clock_offset = ${`${offsetMs} milliseconds`}::interval, frozen_at = ${frozenAt ?? null},
      mail_lost = ${isMailLost}, webhook_delay = ${`${webhookDelayMs} milliseconds`}::interval`.execute(db)
}
