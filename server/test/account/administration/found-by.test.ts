import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../../support/service.ts'
import { startWorld } from '../../support/world.ts'
import { addPerson } from '../people.ts'
import { newWord } from './calls.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(async () => {
  await service?.close()
})

const NAMES = [
  { given_name: 'Ada', family_name: 'Byron' },
  { given_name: null, family_name: null },
  { display_name: '  Ünal-Ärger   the\tGreat ', given_name: '', family_name: 'DE LA CRUZ' },
  // Written otherwise than it is looked for: a ligature, wide letters, a letter that grows when it is made small.
  { display_name: 'ﬁnn ＷＩＤＥ', given_name: 'İpek', family_name: '100%_\\o/' },
  { display_name: 'x'.repeat(300), given_name: '山田', family_name: 'ǅ ẞ' },
]

test.each(NAMES)('the row of a person says the same as their terms: %j', async (names) => {
  const email = `${newWord()}.x@${newWord()}.test`
  await addPerson(service, { email, ...names })
  const { rows } = await sql<{ foundBy: string; terms: string[] }>`
    select found_by as "foundBy", array(select term from user_terms where user_id = users.id order by term) as terms
    from users where email = ${email}
  `.execute(service.ctx.db)
  const { foundBy = '', terms = [] } = rows[0] ?? {}
  const said = foundBy.split(' ').filter((word) => word !== '')
  expect(said).toContain(email)
  for (const term of terms) expect(said.map((word) => word.slice(0, 254))).toContain(term)
  // What begins another term is left out of the terms, and found all the same.
  for (const word of said) expect(terms.some((term) => term.startsWith(word.slice(0, 254)))).toBe(true)
})
