import { verifyWebhook, WebhookError } from '@latchkey/node/webhooks'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const BODY = JSON.stringify({ id: 'e1', type: 'member.added', timestamp: '2026-01-15T09:30:00.000Z', data: { n: 'ü' } })

function sign(secret: string, at = new Date()) {
  return {
    'webhook-id': 'e1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('e1', at, BODY),
  }
}

test('a request that was signed with the secret is accepted, as text, bytes and with Headers', () => {
  const event = { id: 'e1', type: 'member.added' }
  expect(verifyWebhook(SECRET, sign(SECRET), BODY)).toMatchObject(event)
  expect(verifyWebhook(SECRET, sign(SECRET), Buffer.from(BODY))).toMatchObject(event)
  expect(verifyWebhook(SECRET, new Headers(sign(SECRET)), BODY)).toMatchObject(event)
})

test('while a secret is replaced, both are accepted', () => {
  const both = sign(SECRET)
  both['webhook-signature'] += ` ${sign(OTHER)['webhook-signature']}`
  expect(verifyWebhook(OTHER, both, BODY)).toMatchObject({ id: 'e1' })
  expect(verifyWebhook([OTHER, SECRET], sign(SECRET), BODY)).toMatchObject({ id: 'e1' })
})

test.each([
  ['another secret', sign(OTHER), BODY],
  ['a changed body', sign(SECRET), `${BODY} `],
  ['a changed id', { ...sign(SECRET), 'webhook-id': 'e2' }, BODY],
  ['a time that is too old', sign(SECRET, new Date(Date.now() - 400_000)), BODY],
  ['a time in the future', sign(SECRET, new Date(Date.now() + 400_000)), BODY],
  ['a time that is no number', { ...sign(SECRET), 'webhook-timestamp': 'now' }, BODY],
  ['an empty signature', { ...sign(SECRET), 'webhook-signature': '' }, BODY],
  ['a signature without a version', noVersion(), BODY],
  ['a missing signature', { ...sign(SECRET), 'webhook-signature': undefined }, BODY],
])('%s is refused', (_, headers, body) => {
  expect(() => verifyWebhook(SECRET, headers, body)).toThrow(WebhookError)
})

function noVersion() {
  const headers = sign(SECRET)
  return { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1,', '') }
}

test.each(['', 'whsec_', 'whsec_c2hvcnQ='])(
  'a secret that is empty or too short is an error of the program: %s',
  (secret) => {
    expect(() => verifyWebhook(secret, sign(SECRET), BODY)).toThrow(TypeError)
  },
)
