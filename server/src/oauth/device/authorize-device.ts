import type { FastifyRequest } from 'fastify'
import type { Client } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import { countAgainstLimit } from '../../db/limiter.ts'
import { OAuthError } from '../../errors.ts'
import { clientAddress, clientNetwork, clientUserAgent } from '../../http/request/client-address.ts'
import { newUniqueId } from '../../lib/ids.ts'
import { hashSecret, newSecret } from '../../lib/secrets.ts'
import { authenticateClient } from '../client-auth.ts'
import { loggingRefusals } from '../refusals.ts'
import { refuseResource } from '../resources.ts'
import type { DeviceAuthorizationForm, DeviceAuthorizationResponse } from '../schema.ts'
import { MACHINE_SCOPE, parseScope } from '../scopes.ts'
import { insertDevice } from './store.ts'
import { formatUserCode, newUserCode } from './user-code.ts'

export const DEVICE_PATH = '/device'
export const USER_CODE_PURPOSE = 'user-code'

const LIFETIME_SECONDS = 600
const POLL_INTERVAL_SECONDS = 5
const MAX_TENANT_LENGTH = 100
/** Requests of one client from one network. Anybody can send those of a public client. */
const PUBLIC_LIMIT = { name: 'device-authorization', max: 200, seconds: 15 * 60 }
/** All devices of a confidential client share the network of its server. */
const CONFIDENTIAL_LIMIT = { ...PUBLIC_LIMIT, max: 20_000 }
/** A user code is taken by chance once in millions of times. */
const MAX_ATTEMPTS = 5

/** The device authorization endpoint (RFC 8628 §3.1). */
export const authorizeDevice = (
  ctx: Ctx,
  request: FastifyRequest,
  form: DeviceAuthorizationForm,
): Promise<DeviceAuthorizationResponse> => loggingRefusals(request, form.client_id, () => start(ctx, request, form))

async function start(
  ctx: Ctx,
  request: FastifyRequest,
  form: DeviceAuthorizationForm,
): Promise<DeviceAuthorizationResponse> {
  // RFC 6749 §2.3.1: credentials must not be in the URL, where logs and proxies see them.
  if (request.url.includes('?')) throw new OAuthError('invalid_request', 'The parameters belong in the body.')
  const { client } = await authenticateClient(ctx, request, form)
  requireDeviceFlow(client)
  refuseResource(form.resource)
  if ((form.tenant ?? '').length > MAX_TENANT_LENGTH) {
    throw new OAuthError('invalid_request', 'The parameter tenant is too long.')
  }
  const limit = client.kind === 'SPA' ? PUBLIC_LIMIT : CONFIDENTIAL_LIMIT
  await countAgainstLimit(ctx.db, limit, `${client.id}:${clientNetwork(request)}`)
  const { deviceCode, userCode } = await storeDevice(ctx, request, { client, form })
  const verification_uri = ctx.config.baseUrl + DEVICE_PATH
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri,
    verification_uri_complete: `${verification_uri}?user_code=${userCode}`,
    expires_in: LIFETIME_SECONDS,
    interval: POLL_INTERVAL_SECONDS,
  }
}

/** At the token endpoint, a client without the switch is answered as by a server without this grant. */
export function requireDeviceFlow(
  { kind, deviceFlow }: Client,
  code: 'unauthorized_client' | 'unsupported_grant_type' = 'unauthorized_client',
): void {
  if (deviceFlow && kind !== 'MACHINE') return
  throw new OAuthError(
    code,
    'The client may not use the device authorization grant. An operator can allow it: Sign-in on another device in ' +
      'the console, deviceFlow in the API, or latchkey client create --device-flow.',
  )
}

async function storeDevice(
  ctx: Ctx,
  request: FastifyRequest,
  { client, form }: { client: Client; form: DeviceAuthorizationForm },
): Promise<{ deviceCode: string; userCode: string }> {
  const deviceCode = newSecret()
  const now = ctx.now()
  const device = {
    id: newUniqueId(),
    device_code_hash: hashSecret(deviceCode),
    client_id: client.id,
    // Unknown scopes are ignored, as at the authorization endpoint.
    scopes: parseScope(form.scope).filter((scope) => client.scopes.includes(scope) && scope !== MACHINE_SCOPE),
    tenant_slug: form.tenant || null,
    ip_address: clientAddress(request),
    network: clientNetwork(request),
    user_agent: clientUserAgent(request),
    poll_interval: POLL_INTERVAL_SECONDS,
    polled_at: null,
    decided_at: null,
    grant_id: null,
    created_at: now,
    expires_at: new Date(now.getTime() + LIFETIME_SECONDS * 1000),
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const userCode = newUserCode()
    const [user_code_mac] = ctx.keys.macs(USER_CODE_PURPOSE, userCode)
    if (await insertDevice(ctx.db, { ...device, user_code_mac })) {
      return { deviceCode, userCode: formatUserCode(userCode) }
    }
  }
  throw new Error('no free user code was found')
}
