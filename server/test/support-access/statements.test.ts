import { expect, test } from 'vitest'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { authorize, introspect, startDemoService, userinfo } from '../support/world.ts'
import { act, allowSupport, newMember, newOperator, tokensOf } from './steps.ts'

test('the feature costs other sessions no statement, and an operator who acts one for the session', async () => {
  const on = await startDemoService({ config: { supportAccess: true } })
  const off = await startDemoService()
  const watches: StatementWatch[] = []
  try {
    const counts = []
    for (const service of [on, off]) {
      const watch = await watchStatements(service)
      watches.push(watch)
      const { cookie, tokens } = await newOperator(service)
      await authorize(service.url, cookie)
      const count = (work: () => Promise<unknown>) => watch.count(work)
      counts.push({
        authorize: await count(() => authorize(service.url, cookie)),
        session: await count(() => fetch(`${service.url}/api/users/me/access`, { headers: { cookie } })),
        tokens: await count(() => tokensOf(service.url, cookie)),
        introspect: await count(() => introspect(service.url, tokens.access_token)),
        again: await count(() => userinfo(service.url, tokens.access_token)),
      })
    }
    const [withFeature, without] = counts
    expect(withFeature).toEqual(without)
    await allowSupport(on)
    const { cookie } = await act(on, await newOperator(on), await newMember(on))
    await authorize(on.url, cookie)
    const acting = await watches[0]?.count(() => authorize(on.url, cookie))
    expect(acting).toBe((without?.authorize ?? 0) + 1)
  } finally {
    for (const watch of watches) await watch.close()
    await on.close()
    await off.close()
  }
})
