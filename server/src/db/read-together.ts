import { type RawBuilder, sql } from 'kysely'
import type { Db } from './open.ts'

/** The rows of several questions, asked in one statement. Moments come as text, because all of it is JSON. */
export async function readTogether(db: Db, questions: RawBuilder<unknown>[]): Promise<unknown[][]> {
  const answers = questions.map(
    (question) => sql`(select coalesce(json_agg(answer), '[]') from (${question}) as answer)`,
  )
  const { rows } = await sql<{ answers: unknown[][] }>`
    select json_build_array(${sql.join(answers)}) as answers
  `.execute(db)
  return rows[0]?.answers ?? []
}
