import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call, refusal } from '../support/calls.ts'
import {
  ask,
  askByPost,
  asOps,
  grant,
  LICENSES,
  newInside,
  newMachineHeaders,
  newSeats,
  readHolders,
  UNLICENSED,
} from '../support/licensing.ts'
import { base } from '../support/service.ts'

const { application, tenant, owner, pro } = await newSeats()
const member = await newInside({ tenant, owner })
const machine = await newMachineHeaders(application, ['licenses:read'], tenant.id)
const granted = await grant(owner.inside, {
  userId: member.userId,
  applicationId: application,
  licenseTypeId: pro.id,
})

const LICENSED = {
  hasLicense: true,
  licenseType: pro.slug,
  licenseTypeName: 'Pro',
  features: ['export', 'reports'],
  assignedAt: granted.body.assignedAt,
}

test('the features are in the order of the alphabet, whatever order they came in', async () => {
  const world = await newSeats()
  const features = { z: true, reports: true, no: false, ab: true, Zoo: true, a: true }
  const path = `/api/licensing/license-types/${world.pro.id}`
  expect((await call('PATCH', path, { headers: await asOps(), body: { features } })).status).toBe(200)
  const about = { userId: world.owner.userId, applicationId: world.application }
  await grant(world.owner.inside, { ...about, licenseTypeId: world.pro.id })
  const { body } = await ask(world.owner.inside, 'check', about)
  expect(body.features).toEqual(['Zoo', 'a', 'ab', 'reports', 'z'])
})

test.each(['check', 'feature'])('%s takes no null for a body that may be left out', async (path) => {
  const fields = new URLSearchParams({
    userId: member.userId,
    applicationId: application,
    featureKey: 'reports',
  })
  const asked = `${LICENSES}/${path}?${fields}`
  expect((await call('POST', asked, { headers: owner.inside })).status).toBe(200)
  const { status, body } = await call('POST', asked, { headers: owner.inside, body: null })
  expect(status).toBe(422)
  expect(body).toEqual(
    refusal(422, 'VALIDATION_FAILED', { details: [{ field: 'body', message: 'must be object' }] }),
  )
})

const EACH = [
  ['check', {}, LICENSED, UNLICENSED],
  ['feature', { featureKey: 'reports' }, { hasFeature: true }, { hasFeature: false }],
  ['type', {}, { licenseType: pro.slug }, { licenseType: null }],
] as const

describe.each(EACH)('%s', (path, fields, held, none) => {
  const asked = { applicationId: application, ...fields }

  test('says what is held, with nothing beside it', async () => {
    const answer = await ask(owner.inside, path, { userId: member.userId, ...asked })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual(held)
  })

  test('is about whoever asks, when nobody is named', async () => {
    expect((await ask(member.inside, path, asked)).body).toEqual(held)
    expect((await ask(owner.inside, path, asked)).body).toEqual(none)
  })

  test.each([
    ['an unlicensed member', owner.userId],
    ['an id that nobody has', randomUUID()],
    ['no id', 'nobody'],
    ['nothing', ''],
    ['5 KB', 'a'.repeat(5_000)],
    ['a word that every object knows', '__proto__'],
  ])('says the same of %s', async (_, userId) => {
    const answer = await ask(owner.inside, path, { userId, ...asked })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual(none)
  })

  test('tells a machine about whom it names, and needs a name', async () => {
    expect((await ask(machine, path, { userId: member.userId, ...asked })).body).toEqual(held)
    const unnamed = await ask(machine, path, asked)
    expect(unnamed.status).toBe(422)
    expect(unnamed.body).toEqual(
      refusal(422, 'VALIDATION_FAILED', { details: [{ field: 'userId', message: expect.any(String) }] }),
    )
  })

  test.each([
    ['missing', undefined],
    ['unknown', randomUUID()],
    ['malformed', 'no-id'],
    ['empty', ''],
    ['the id of something else', tenant.id],
  ])('refuses an application that is %s', async (_, applicationId) => {
    const { applicationId: __, ...rest } = asked
    const answer = await ask(owner.inside, path, {
      ...rest,
      ...(applicationId !== undefined && { applicationId }),
    })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(refusal(400, 'INVALID_APPLICATION_ID'))
  })

  test('refuses two applications at once', async () => {
    const query = `applicationId=${application}&applicationId=${application}&featureKey=reports`
    const { status, body } = await call('GET', `${LICENSES}/${path}?${query}`, { headers: owner.inside })
    expect(status).toBe(400)
    expect(body).toEqual(refusal(400, 'INVALID_APPLICATION_ID'))
  })

  test('hears of another missing field before the application', async () => {
    const answer = await ask(machine, path, { ...fields, applicationId: 'nonsense' })
    expect(answer.status).toBe(422)
    expect(answer.body).toEqual(
      refusal(422, 'VALIDATION_FAILED', { details: [{ field: 'userId', message: expect.any(String) }] }),
    )
  })

  test.each([
    ['no token', {}],
    ['a token that is none', { authorization: 'Bearer a.b.c' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
  ])('is closed to %s, whoever is asked about', async (_, headers) => {
    for (const query of [asked, { ...asked, userId: member.userId }, { applicationId: 'nonsense' }]) {
      const answer = await ask(headers, path, query)
      expect(answer.status).toBe(401)
      expect(answer.body).toEqual(refusal(401, 'UNAUTHORIZED'))
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
    }
  })
})

describe.each(EACH.filter(([path]) => path !== 'type'))('%s by POST', (path, fields, held, none) => {
  const asked = { applicationId: application, ...fields }

  test('answers the same, wherever the fields stand', async () => {
    for (const [userId, expected] of [
      [member.userId, held],
      [owner.userId, none],
      [randomUUID(), none],
    ] as const) {
      const named = { userId, ...asked }
      for (const request of [{ body: named }, { query: named }, { query: named, body: {} }]) {
        const answer = await askByPost(machine, path, request)
        expect(answer.status).toBe(200)
        expect(answer.body).toEqual(expected)
      }
    }
    expect((await askByPost(member.inside, path, { body: asked })).body).toEqual(held)
  })

  test('believes the body before the address', async () => {
    const named = { userId: member.userId, ...asked }
    const wrong = { userId: owner.userId, applicationId: 'nonsense', featureKey: 'audit' }
    expect((await askByPost(machine, path, { body: named, query: wrong })).body).toEqual(held)
    const refused = await askByPost(machine, path, { body: { applicationId: 'nonsense' }, query: named })
    expect(refused.body).toEqual(refusal(400, 'INVALID_APPLICATION_ID'))
    const other = await askByPost(machine, path, { body: { userId: owner.userId }, query: named })
    expect(other.body).toEqual(none)
  })

  test.each([
    ['a number', 7],
    ['an array', [application]],
    ['an object', { id: application }],
    ['null', null],
    ['true', true],
  ])('refuses an application that is %s', async (_, applicationId) => {
    const answer = await askByPost(member.inside, path, { body: { ...fields, applicationId } })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(refusal(400, 'INVALID_APPLICATION_ID'))
  })

  test.each([
    ['a number', 7],
    ['an array', [member.userId]],
    ['an object', { id: member.userId }],
  ])('refuses a person who is %s', async (_, userId) => {
    const answer = await askByPost(owner.inside, path, { body: { ...asked, userId } })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field: 'userId' }] })
  })

  test('takes JSON alone', async () => {
    const send = (type: string, body: string) =>
      fetch(`${base}${LICENSES}/${path}?${new URLSearchParams({ userId: member.userId, ...asked })}`, {
        method: 'POST',
        headers: { ...machine, 'content-type': type },
        body,
      })
    expect((await send('text/plain', '{}')).status).toBe(415)
    expect((await send('application/x-www-form-urlencoded', 'a=b')).status).toBe(415)
    expect((await send('application/json', '{')).status).toBe(400)
    for (const body of ['[]', '7', '"text"']) expect((await send('application/json', body)).status).toBe(422)
  })

  test('is closed without a token, whatever the body says', async () => {
    for (const body of [{ userId: member.userId, ...asked }, {}, [], 'text']) {
      const answer = await askByPost({}, path, { body })
      expect(answer.status).toBe(401)
      expect(answer.body).toEqual(refusal(401, 'UNAUTHORIZED'))
    }
  })
})

describe('a feature', () => {
  const about = { userId: member.userId, applicationId: application }

  test.each([
    ['that the type switches off', 'audit'],
    ['that the type does not know', 'teleport'],
    ['that is only a part of a key', 'report'],
    ['in other letters', 'REPORTS'],
    ['that every object has', 'constructor'],
    ['that every list has', 'length'],
  ])('%s is not held', async (_, featureKey) => {
    expect((await ask(owner.inside, 'feature', { ...about, featureKey })).body).toEqual({ hasFeature: false })
  })

  test.each([
    ['missing', {}],
    ['empty', { featureKey: '' }],
    ['too long', { featureKey: 'a'.repeat(201) }],
  ])('whose key is %s is refused, before the application is looked at', async (_, fields) => {
    for (const applicationId of [application, 'nonsense']) {
      const asked = { userId: member.userId, applicationId, ...fields }
      const answers = [
        await ask(owner.inside, 'feature', asked),
        await askByPost(owner.inside, 'feature', { body: asked }),
        await askByPost(owner.inside, 'feature', { query: asked }),
      ]
      for (const { status, body } of answers) {
        expect(status).toBe(422)
        expect(body).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field: 'featureKey' }] })
      }
    }
  })
})

describe('the lists', () => {
  test('show who holds a licence, with nothing beside it', async () => {
    const { users, count } = await readHolders(member.inside, application)
    expect(users).toEqual([
      {
        userId: member.userId,
        email: member.person.email,
        givenName: 'Sam',
        familyName: 'Someone',
        licenseType: pro.slug,
        licenseTypeName: 'Pro',
        assignedAt: granted.body.assignedAt,
      },
    ])
    expect(count).toBe(1)
    const { body } = await call('GET', `${LICENSES}/apps/${application}/count`, { headers: machine })
    expect(body).toEqual({ count: 1 })
  })

  test.each(['users', 'count'])('know no %s of an application that does not exist', async (list) => {
    for (const id of [randomUUID(), 'no-id', '1', "'", '%25', 'a'.repeat(5_000), '__proto__', tenant.id]) {
      const { status, body } = await call('GET', `${LICENSES}/apps/${id}/${list}`, { headers: owner.inside })
      expect(status, id).toBe(400)
      expect(body, id).toEqual(refusal(400, 'INVALID_APPLICATION_ID'))
    }
  })

  test.each(['users', 'count'])('show no %s without a token', async (list) => {
    for (const id of [application, 'nonsense']) {
      const { status, body } = await call('GET', `${LICENSES}/apps/${id}/${list}?userId=${member.userId}`)
      expect(status).toBe(401)
      expect(body).toEqual(refusal(401, 'UNAUTHORIZED'))
    }
  })
})
