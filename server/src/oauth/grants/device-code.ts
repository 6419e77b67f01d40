import type { Ctx } from '../../context.ts'
import { OAuthError } from '../../errors.ts'
import { hashSecret } from '../../lib/secrets.ts'
import type { TokenRequester } from '../client-auth.ts'
import { requireDeviceFlow } from '../device/authorize-device.ts'
import { pollDevice } from '../device/store.ts'
import { invalidGrant } from '../grant-subject.ts'
import { refuseResource } from '../resources.ts'
import type { TokenForm, TokenResponse } from '../schema.ts'
import { redeem } from './redeem.ts'
import { findGrant } from './store.ts'

/** The device authorization grant (RFC 8628 §3.4). */
export async function exchangeDeviceCode(
  ctx: Ctx,
  { client, proof }: TokenRequester,
  form: TokenForm,
): Promise<TokenResponse> {
  requireDeviceFlow(client, 'unsupported_grant_type')
  refuseResource(form.resource)
  if (form.device_code === undefined) throw new OAuthError('invalid_request', 'The parameter device_code is missing.')
  const now = ctx.now()
  const device = await pollDevice(ctx.db, { deviceCodeHash: hashSecret(form.device_code), clientId: client.id, now })
  if (!device) throw invalidGrant('The device code is not valid.', { problem: 'unknown, ended or of another client' })
  if (device.decided_at !== null && device.grant_id === null) {
    throw new OAuthError('access_denied', 'The user refused the sign-in.', { status: 400 })
  }
  const grant = device.grant_id === null ? undefined : await findGrant(ctx.db, device.grant_id)
  if (grant && grant.code_used_at !== null) throw invalidGrant('The device code was used before.')
  if (device.expires_at <= now) throw new OAuthError('expired_token', 'The device code has expired.')
  if (device.grant_id === null) throw notDecided(device.polled_early)
  const tokens = grant && (await redeem(ctx, { client, proof }, grant))
  // Unlike an authorization code, a device code is sent again and again, so a second use is no sign of theft.
  if (!tokens) throw invalidGrant('The device code was used before, or the session of the user has ended.')
  return tokens
}

const notDecided = (isEarly: boolean) =>
  isEarly
    ? new OAuthError('slow_down', 'The device asks too often; wait five seconds longer between requests.')
    : new OAuthError('authorization_pending', 'The user has not decided yet.')
