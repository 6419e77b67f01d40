import { isoCBOR } from '@simplewebauthn/server/helpers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Deviation, newAuthenticator } from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { beginEnrollment, enroll, PASSKEYS } from './passkey-calls.ts'
import { createSignedInUser, errorReply, type TestUser } from './people.ts'

const MINUTE_MS = 60_000

let service: TestService
let origin: string
beforeAll(async () => {
  service = await startDemoService()
  origin = service.ctx.config.baseUrl
})
afterAll(() => service?.close())

describe('a passkey is refused', () => {
  let somebody: TestUser
  beforeAll(async () => {
    somebody = await createSignedInUser(service)
  })
  const invalid = errorReply(400, 'INVALID_PASSKEY')

  const EC_WITHOUT_Y = Buffer.from(
    isoCBOR.encode(
      new Map([
        [1, 2],
        [3, -7],
        [-1, 1],
      ]),
    ),
  )
  const OFF_THE_CURVE = Buffer.from(
    isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(32)],
        [-3, new Uint8Array(32)],
      ]),
    ),
  )
  const ES384 = Buffer.from(
    isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -35],
        [-1, 2],
        [-2, new Uint8Array(48)],
        [-3, new Uint8Array(48)],
      ]),
    ),
  )

  const without = (part: string) => (parts: Map<string, unknown>) => {
    parts.delete(part)
    return parts
  }
  const twists: Record<string, Deviation> = {
    'with half a key': { key: EC_WITHOUT_Y },
    'with a key off the curve': { key: OFF_THE_CURVE },
    'with an algorithm that was not asked for': { key: ES384 },
    'with more after the key': { key: Buffer.concat([EC_WITHOUT_Y, Buffer.alloc(9)]) },
    'without authenticator data': { attestation: without('authData') },
    'with text for authenticator data': { attestation: (parts) => parts.set('authData', 'x'.repeat(200)) },
  }
  test.each(Object.entries(twists))('%s', async (_name, twist) => {
    expect(await enroll(somebody, newAuthenticator(origin), { twist })).toMatchObject(invalid)
  })

  test('that answers a challenge twice, late, or the challenge of another person', async () => {
    const options = await beginEnrollment(somebody)
    const [one, other] = [newAuthenticator(origin), newAuthenticator(origin)]
    const spoilt = { ...one.create(options), id: other.id, rawId: other.id }
    expect(await somebody.call('POST', PASSKEYS, spoilt)).toMatchObject(invalid)
    expect(await somebody.call('POST', PASSKEYS, one.create(options))).toMatchObject(invalid)

    const stranger = await createSignedInUser(service)
    const theirs = newAuthenticator(origin).create(await beginEnrollment(stranger))
    expect(await somebody.call('POST', PASSKEYS, theirs)).toMatchObject(invalid)
    expect((await stranger.call('POST', PASSKEYS, theirs)).status).toBe(201)

    const late = newAuthenticator(origin).create(await beginEnrollment(stranger))
    service.advance(5 * MINUTE_MS + 1)
    expect(await stranger.call('POST', PASSKEYS, late)).toMatchObject(invalid)
    service.advance(-5 * MINUTE_MS - 1)
  })

  test('as a client error for any malformed data', async () => {
    const sent: number[] = []
    for (let round = 0; round < 60; round++) {
      const made = newAuthenticator(origin).create(await beginEnrollment(somebody))
      const bytes = Buffer.from(made.response.attestationObject, 'base64url')
      const cut = 1 + Math.floor((round / 60) * bytes.length)
      const broken = round % 2 ? bytes.subarray(0, cut) : Buffer.from(bytes).fill(round * 4, cut, cut + 3)
      const response = { ...made.response, attestationObject: broken.toString('base64url') }
      sent.push((await somebody.call('POST', PASSKEYS, { ...made, response })).status)
    }
    // A changed byte may be irrelevant, and then the passkey is valid.
    expect(sent.filter((status) => status !== 400 && status !== 201)).toEqual([])
    expect(sent.filter((status) => status === 400).length).toBeGreaterThan(40)
  })

  test.each([
    ['no JSON', Buffer.from('{').toString('base64url')],
    ['null', Buffer.from('null').toString('base64url')],
    ['a list', Buffer.from('[]').toString('base64url')],
    ['an object for a challenge', Buffer.from('{"challenge":{}}').toString('base64url')],
    ['no base64', '%%%%'],
    ['nothing', ''],
  ])('with client data that are %s', async (_name, clientDataJSON) => {
    const made = newAuthenticator(origin).create(await beginEnrollment(somebody))
    const response = { ...made.response, clientDataJSON }
    expect(await somebody.call('POST', PASSKEYS, { ...made, response })).toMatchObject(invalid)
  })

  test('by the schema when it is too long', async () => {
    const made = newAuthenticator(origin).create(await beginEnrollment(somebody))
    for (const field of ['clientDataJSON', 'attestationObject']) {
      const response = { ...made.response, [field]: 'A'.repeat(900_000) }
      const answer = await somebody.call('POST', PASSKEYS, { ...made, response })
      expect(answer).toMatchObject(errorReply(422, 'VALIDATION_FAILED'))
    }
    const response = { ...made.response, transports: Array(50).fill('usb') }
    expect((await somebody.call('POST', PASSKEYS, { ...made, response, name: ' ' })).body.details).toHaveLength(2)
  })
})

test('the attestation statement is ignored, so that no URL in it is fetched', async () => {
  const somebody = await createSignedInUser(service)
  const attestation = (parts: Map<string, unknown>) =>
    parts.set('fmt', 'packed').set(
      'attStmt',
      new Map<string, unknown>([
        ['alg', -7],
        ['sig', new Uint8Array(70)],
        ['x5c', [new Uint8Array(400)]],
      ]),
    )
  expect((await enroll(somebody, newAuthenticator(origin), { twist: { attestation } })).status).toBe(201)
})
