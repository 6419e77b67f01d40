import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { newWord } from './calls.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(async () => {
  await service?.close()
})

const NAMES = [
  { given_name: 'Ada', family_name: 'Byron' },
  { given_name: null, family_name: null },
  { display_name: '  Ünal-Ärger   the\tGreat ', given_name: '', family_name: 'DE LA CRUZ' },
  // Normalization changes these: a ligature, full-width letters, a letter whose lower case is longer.
  { display_name: 'ﬁnn ＷＩＤＥ', given_name: 'İpek', family_name: '100%_\\o/' },
  { display_name: 'x'.repeat(300), given_name: '山田', family_name: 'ǅ ẞ' },
]

test.each(NAMES)('the search column of the user row matches the search terms: %j', async (names) => {
  const email = `${newWord()}.x@${newWord()}.test`
  await insertUser(service, { email, ...names })
  const { rows } = await sql<{ foundBy: string; terms: string[] }>`
    select found_by as "foundBy", array(select term from user_terms where user_id = users.id order by term) as terms
    from users where email = ${email}
  `.execute(service.ctx.db)
  const { foundBy = '', terms = [] } = rows[0] ?? {}
  const words = foundBy.split(' ').filter((word) => word !== '')
  expect(words).toContain(email)
  for (const term of terms) expect(words.map((word) => word.slice(0, 254))).toContain(term)
  // A word that is a prefix of another term has no term of its own.
  for (const word of words) expect(terms.some((term) => term.startsWith(word.slice(0, 254)))).toBe(true)
})
