import type { Migration } from './migrate.ts'

/**
 * The effect of a migration statement on tables in use. Statements that are not recognized count as slow, so that the
 * author of the migration has to add a warning comment.
 */
export interface Step {
  /** The table that is locked, if it existed before the migration. */
  table: string | undefined
  /** PostgreSQL's name of the lock. */
  lock: Lock | undefined
  /** The effect on other users of the table. */
  effect: string
  /** It takes longer the more rows there are, and blocks others. */
  isSlow: boolean
}

type Lock = 'ACCESS EXCLUSIVE' | 'SHARE ROW EXCLUSIVE' | 'SHARE' | 'ROW EXCLUSIVE'

export interface MigrationPlan {
  migration: Migration
  steps: Step[]
  /** Why it takes time, by table, from the comments in the migration. */
  warnings: Map<string, string>
}

/** `-- Takes time on audit_entries: every row is written anew.` */
const WARNING = /^-- Takes time on (\w+): (.+)$/gm

export function planMigrations(migrations: Migration[]): MigrationPlan[] {
  return migrations.map((migration) => ({
    migration,
    steps: planSteps(migration.sql),
    warnings: new Map([...migration.sql.matchAll(WARNING)].map(([, table = '', reason = '']) => [table, reason])),
  }))
}

function planSteps(sql: string): Step[] {
  const created = new Set<string>()
  /** The former names of renamed tables. */
  const formerNames = new Map<string, string>()
  const steps: Step[] = []
  for (const statement of splitStatements(sql)) {
    const name = /^create (?:unlogged )?table (?:if not exists )?(\w+)/i.exec(statement)?.[1]
    if (name !== undefined) created.add(name)
    for (const step of readStatement(statement)) {
      if (step.table !== undefined && created.has(step.table)) continue
      steps.push({ ...step, table: step.table && (formerNames.get(step.table) ?? step.table) })
    }
    const [, before, after] = /^alter table (\w+) rename to (\w+)/i.exec(statement) ?? []
    if (before !== undefined && after !== undefined) formerNames.set(after, before)
  }
  return steps
}

interface Rule {
  pattern: RegExp
  lock?: Lock
  effect: string
  isSlow?: boolean
}

const BLOCKED_BRIEFLY = 'everybody waits for an instant'

/** Rules for the actions of ALTER TABLE. The first match applies. */
const ALTERATIONS: Rule[] = [
  {
    pattern: /^add column .*\b(?:references|generated always as|unique|primary key|check)\b/is,
    effect: 'everybody waits while every row is read or written',
    isSlow: true,
  },
  {
    pattern: /^add column .*\bdefault (?!true|false|null|'|-?\d)/is,
    effect: 'every row may be written anew',
    isSlow: true,
  },
  { pattern: /^add column /i, effect: BLOCKED_BRIEFLY },
  { pattern: /^add .*\bnot valid$/is, effect: BLOCKED_BRIEFLY },
  { pattern: /^add /i, effect: 'everybody waits while every row is checked', isSlow: true },
  {
    pattern: /^alter (?:column )?\w+ (?:set data )?type/i,
    effect: 'everybody waits while every row is written anew',
    isSlow: true,
  },
  {
    pattern: /^alter (?:column )?\w+ set not null/i,
    effect: 'everybody waits while every row is checked',
    isSlow: true,
  },
  {
    pattern: /^validate constraint/i,
    lock: 'SHARE ROW EXCLUSIVE',
    effect: 'every row is checked, beside other work',
  },
  {
    pattern: /^(?:alter|drop|enable|disable|force|no force|rename|owner|set|reset)\b/i,
    effect: BLOCKED_BRIEFLY,
  },
]

interface StatementRule extends Rule {
  /** The first group of the pattern is the name of the table. False if the statement locks no table. */
  hasTable: boolean
}

const STATEMENTS: StatementRule[] = [
  { pattern: /^create (?:unlogged )?table\b/i, hasTable: false, effect: 'a new table' },
  {
    pattern: /^create (?:unique )?index (?:if not exists )?(?:\w+ )?on (?:only )?(\w+)/i,
    hasTable: true,
    lock: 'SHARE',
    effect: 'writes wait while the index is built',
    isSlow: true,
  },
  {
    pattern: /^create (?:or replace )?(?:constraint )?trigger \w+ .*?\bon (\w+)/is,
    hasTable: true,
    lock: 'SHARE ROW EXCLUSIVE',
    effect: 'writes wait for an instant',
  },
  {
    pattern: /^create policy \w+ on (\w+)/i,
    hasTable: true,
    lock: 'ACCESS EXCLUSIVE',
    effect: BLOCKED_BRIEFLY,
  },
  {
    pattern: /^create (?:or replace )?(?:function|view|type|schema|sequence|extension)\b/i,
    hasTable: false,
    effect: 'nobody waits',
  },
  {
    pattern: /^drop (?:trigger|policy) (?:if exists )?\w+ on (\w+)/i,
    hasTable: true,
    lock: 'ACCESS EXCLUSIVE',
    effect: BLOCKED_BRIEFLY,
  },
  {
    pattern: /^drop table (?:if exists )?(\w+)/i,
    hasTable: true,
    lock: 'ACCESS EXCLUSIVE',
    effect: 'the table is gone',
  },
  { pattern: /^drop (?:function|view|index)\b/i, hasTable: false, effect: 'everybody waits for an instant' },
  {
    pattern: /^(?:update|delete from) (\w+)/i,
    hasTable: true,
    lock: 'ROW EXCLUSIVE',
    effect: 'rows stay locked until the end',
    isSlow: true,
  },
  {
    pattern: /^insert into \w+ .*?\bfrom (\w+)/i,
    hasTable: true,
    effect: 'every row is copied',
    isSlow: true,
  },
  { pattern: /^insert into (\w+)/i, hasTable: true, lock: 'ROW EXCLUSIVE', effect: 'rows are added' },
  { pattern: /^(?:grant|revoke|comment|select)\b/i, hasTable: false, effect: 'nobody waits' },
]

function readStatement(statement: string): Step[] {
  const partition = /^alter table \w+ attach partition (\w+)/i.exec(statement)?.[1]
  if (partition !== undefined) {
    const effect = 'everybody waits while every row is read'
    return [toStep(partition, { lock: 'ACCESS EXCLUSIVE', effect, isSlow: true })]
  }
  const [, table, actions] = /^alter table (?:if exists )?(?:only )?(\w+)\s+(.*)$/is.exec(statement) ?? []
  if (table !== undefined && actions !== undefined) {
    return splitOutside(actions, ',').map((action) => {
      const rule = ALTERATIONS.find(({ pattern }) => pattern.test(action))
      return toStep(table, { lock: 'ACCESS EXCLUSIVE', ...(rule ?? UNKNOWN) })
    })
  }
  const rule = STATEMENTS.find(({ pattern }) => pattern.test(statement))
  if (!rule) return [toStep(undefined, UNKNOWN)]
  return [toStep(rule.hasTable ? rule.pattern.exec(statement)?.[1] : undefined, rule)]
}

const UNKNOWN = { effect: 'not known', isSlow: true }

const toStep = (table: string | undefined, { lock, effect, isSlow = false }: Omit<Rule, 'pattern'>): Step => ({
  table,
  lock,
  effect,
  isSlow,
})

/** The statements of a script, without comments. */
const splitStatements = (sql: string): string[] =>
  splitOutside(sql.replace(/^\s*--.*$/gm, '').replace(/ -- .*$/gm, ''), ';')

/** Splits at a separator outside of quotes, parentheses and function bodies. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = []
  let [part, depth] = ['', 0]
  for (const [token] of text.matchAll(/\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'|"[^"]*"|[\s\S]/g)) {
    if (token === '(') depth += 1
    if (token === ')') depth -= 1
    if (token !== separator || depth > 0) part += token
    else {
      parts.push(part)
      part = ''
    }
  }
  return [...parts, part].map((one) => one.trim().replace(/\s+/g, ' ')).filter((one) => one !== '')
}
