import { setTimeout as sleep } from 'node:timers/promises'
import type { RawBuilder } from 'kysely'
import type { Ctx } from '../context.ts'
import { isDatabaseAway } from '../db/away.ts'
import { readTogether } from '../db/read-together.ts'
import { defineLevel, type LevelDefinition } from '../lib/figures.ts'

/**
 * A figure that the database knows. All of them are read in one statement when somebody looks, so a question must be
 * one that an index answers, however full the tables are.
 */
export interface Reading {
  /** What it sets, so that nothing stale is shown while the database is away. */
  levels: LevelDefinition[]
  question: RawBuilder<unknown>
  tell(ctx: Ctx, rows: never[]): void
}

/** The same while it is known what it asks for. */
export interface ReadingOf<Row> extends Reading {
  question: RawBuilder<Row>
  tell(ctx: Ctx, rows: Row[]): void
}

export const defineReading = <Row>(reading: ReadingOf<Row>): ReadingOf<Row> => reading

const DATABASE_UP = defineLevel({
  name: 'latchkey_database_up',
  help: 'Whether the database answered within two seconds',
  labels: {},
})

const PATIENCE_MS = 2_000
const GOOD_FOR_MS = 3_000

/** Reads at most once in a few seconds, and never twice at a time. It does not fail. */
export function createReader(ctx: Ctx, readings: Reading[]): () => Promise<void> {
  let underWay: Promise<void> | undefined
  let goodUntil = 0
  let troubled = false
  const read = async () => {
    try {
      const all = await readTogether(
        ctx.db,
        readings.map(({ question }) => question),
      )
      // Each gets the rows of its own question.
      for (const [index, { tell }] of readings.entries()) tell(ctx, all[index] as never[])
      ctx.figures.set(DATABASE_UP, [{ labels: {}, value: 1 }])
      troubled = false
    } catch (err) {
      // One line for an outage, not one at each look.
      if (!troubled) ctx.log.warn({ err }, 'the figures of the database cannot be read')
      troubled = true
      showNothing(ctx, readings, { up: !isDatabaseAway(err) })
    }
    goodUntil = performance.now() + GOOD_FOR_MS
    underWay = undefined
  }
  return async () => {
    if (!underWay && performance.now() < goodUntil) return
    underWay ??= read()
    const isDone = await Promise.race([underWay.then(() => true), sleep(PATIENCE_MS, false, { ref: false })])
    if (!isDone) showNothing(ctx, readings, { up: false })
  }
}

function showNothing({ figures }: Ctx, readings: Reading[], { up }: { up: boolean }): void {
  for (const level of readings.flatMap(({ levels }) => levels)) figures.set(level, [])
  figures.set(DATABASE_UP, [{ labels: {}, value: up ? 1 : 0 }])
}
