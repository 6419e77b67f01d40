import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import type { Config } from '../../../src/config.ts'
import { sendLogoutTokens } from '../../../src/oauth/back-channel-logout/dispatch.ts'
import { call } from '../../account/people.ts'
import type { TestService } from '../../support/service.ts'
import { authorize, exchange, signIn, startDemoService } from '../../support/world.ts'
import { openConsent } from '../document-clients.ts'
import { manage, newToken, post, REDIRECT_URI, register } from '../registration/calls.ts'
import {
  ALLOW_LOOPBACK,
  deliveriesOf,
  type RelyingParty,
  receivedSids,
  sendDue,
  startRelyingParty,
  validateLogoutToken,
} from './relying-party.ts'

// Logout tokens for clients that registered themselves.

const LOOPBACK = { allowedNetworks: ['127.0.0.0/8'] }

let service: TestService
let url: string
const receivers: RelyingParty[] = []
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop()
  await service?.close()
})

async function start(config: Partial<Config>): Promise<void> {
  service = await startDemoService({ config: { ...ALLOW_LOOPBACK, clientRegistration: 'open', ...config } })
  url = service.url
}

/** A server that receives logout tokens, with a client of an administrator. */
async function newReceiver(): Promise<RelyingParty> {
  const receiver = await startRelyingParty(service)
  receivers.push(receiver)
  return receiver
}

const METADATA = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }

const rowIdOf = async (clientId: string): Promise<string> => {
  const clients = service.ctx.db.selectFrom('clients').select('id').where('client_id', '=', clientId)
  return (await clients.executeTakeFirstOrThrow()).id
}

/** Signs in to the client and out again. */
async function signInAndOut(client_id: string): Promise<void> {
  const cookie = await signIn(url, 'mia@acme.test')
  const page = await openConsent(service, cookie, { client_id, redirect_uri: REDIRECT_URI })
  const { code } = await page.decide('allow')
  expect((await exchange(url, code, { client_id, redirect_uri: REDIRECT_URI })).status).toBe(200)
  await call(`${url}/api/auth/logout`, { method: 'POST', body: {}, headers: { cookie, origin: url } })
}

test('a client registers its address, is told that a session ended, and removes the address', async () => {
  await start({ outsideClients: LOOPBACK })
  const metadata = await (await fetch(`${url}/.well-known/openid-configuration`)).json()
  expect(metadata).toMatchObject({ backchannel_logout_supported: true, backchannel_logout_session_supported: true })
  const receiver = await newReceiver()
  const information = await register(url, {
    backchannel_logout_uri: receiver.uri,
    backchannel_logout_session_required: true,
  })
  const { client_id } = information
  expect(information).toMatchObject({
    backchannel_logout_uri: receiver.uri,
    backchannel_logout_session_required: true,
  })
  await signInAndOut(client_id)
  await sendDue(service)
  expect(receiver.received).toHaveLength(1)
  await validateLogoutToken(service, receiver.received[0]?.token ?? '', client_id)
  const { status, body } = await manage('PUT', information, { body: { ...METADATA, client_id } })
  expect(status).toBe(200)
  expect(body).not.toHaveProperty('backchannel_logout_uri')
  await service.ctx.changes.waitUntilCurrent()
  const cookie = await signIn(url, 'mia@acme.test')
  const { answer } = await authorize(url, cookie, { client_id, redirect_uri: REDIRECT_URI })
  expect((await exchange(url, answer.code, { client_id, redirect_uri: REDIRECT_URI })).status).toBe(200)
  await call(`${url}/api/auth/logout`, { method: 'POST', body: {}, headers: { cookie, origin: url } })
  await sendDue(service)
  expect(receiver.received).toHaveLength(1)
})

test('the address must be public, whatever is open to webhooks', async () => {
  await start({})
  for (const backchannel_logout_uri of [
    'http://127.0.0.1:9/logout',
    'https://127.0.0.1:9/logout',
    'https://app.example.com/logout#x',
    'logout',
    7,
  ]) {
    const { status, body } = await post(url, { ...METADATA, backchannel_logout_uri })
    expect({ backchannel_logout_uri, status, body }).toMatchObject({
      status: 400,
      body: { error: 'invalid_client_metadata', error_description: expect.stringContaining('backchannel_logout_uri') },
    })
  }
  const wrongFlag = await post(url, { ...METADATA, backchannel_logout_session_required: 'yes' })
  expect(wrongFlag.body.error).toBe('invalid_client_metadata')
})

test('the address is on a host of the registration token, if that names hosts', async () => {
  await start({})
  const { registrationToken } = await newToken(url, { redirectHosts: ['app.example.com'] })
  const registerAt = async (host: string) =>
    (await post(url, { ...METADATA, backchannel_logout_uri: `https://${host}/logout` }, registrationToken)).status
  expect(await registerAt('elsewhere.example.com')).toBe(400)
  expect(await registerAt('app.example.com')).toBe(201)
})

test('nothing is sent to a private address that such a client has from earlier rules', async () => {
  await start({})
  const receiver = await newReceiver()
  const { client_id } = await register(url)
  const id = await rowIdOf(client_id)
  const change = service.ctx.db.updateTable('clients').set({ backchannel_logout_uri: receiver.uri })
  await change.where('id', '=', id).execute()
  await service.ctx.changes.waitUntilCurrent()
  await signInAndOut(client_id)
  await sendDue(service)
  expect(receiver.received).toEqual([])
  expect(await deliveriesOf(service, { id })).toMatchObject([{ status: 'PENDING', lastError: 'address_refused' }])
})

test('such clients together take at most half of the requests of a node', async () => {
  await start({ outsideClients: LOOPBACK })
  const silent = await newReceiver()
  silent.status = undefined
  const queue = async (client_id: string, count: number) => {
    const at = new Date(service.ctx.now().getTime() - count * 1_000)
    const rows = Array.from({ length: count }, () => {
      return { client_id, session_id: randomUUID(), user_id: randomUUID(), due_at: at, created_at: at }
    })
    await service.ctx.db.insertInto('logout_deliveries').values(rows).execute()
    return rows.map(({ session_id }) => session_id)
  }
  for (let count = 0; count < 3; count++) {
    const { client_id } = await register(url, { backchannel_logout_uri: silent.uri })
    await queue(await rowIdOf(client_id), 6)
  }
  const receiver = await newReceiver()
  const sids = await queue(receiver.id, 3)
  const stop = new AbortController()
  const running = sendLogoutTokens(service.ctx, stop.signal)
  await expect.poll(() => receivedSids(receiver).sort()).toEqual(sids.sort())
  expect(silent.received).toHaveLength(8)
  stop.abort()
  await running
})
