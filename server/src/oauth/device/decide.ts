import type { FastifyRequest } from 'fastify'
import type { Client } from '../../applications/clients.ts'
import { recordAuditEvent, userActor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { newUniqueId } from '../../lib/ids.ts'
import { hashSecret, newSecret } from '../../lib/secrets.ts'
import type { BrowserSession } from '../../sessions/browser-session.ts'
import { grantConsent } from '../consent.ts'
import { insertConsentedGrant, insertGrant } from '../grants/store.ts'
import type { ActiveMembership } from '../store.ts'
import { notifyDeviceAllowed } from './notice.ts'
import { assignGrant, decideDevice, type PendingDevice } from './store.ts'

interface Decision {
  device: PendingDevice
  client: Client
  session: BrowserSession
  request: FastifyRequest
}

interface Approval extends Decision {
  tenant: ActiveMembership | undefined
  /** The person has also consented to the scopes. */
  consent: boolean
}

/** Grants the device what it asked for; false if the device was decided about before, or has expired. */
export const allowDevice = (ctx: Ctx, approval: Approval): Promise<boolean> =>
  ctx.db.transaction().execute(async (tx) => {
    const { device, client, session, request, tenant, consent } = approval
    const now = ctx.now()
    if (!(await decideDevice(tx, { id: device.id, now }))) return false
    const grantId = newUniqueId()
    if (consent) {
      const { userId } = session
      await grantConsent(ctx, tx, { userId, tenantId: tenant?.id, scopes: device.scopes, client, request })
    }
    const grant = {
      id: grantId,
      session_id: session.id,
      user_id: session.userId,
      client_id: device.client_id,
      tenant_id: tenant?.id ?? null,
      scopes: device.scopes,
      auth_time: session.authTime,
      amr: session.amr,
      // Nobody has this code: only the device code leads to the grant.
      code_hash: hashSecret(newSecret()),
      code_expires_at: device.expires_at,
      redirect_uri: '',
      nonce: null,
      code_challenge: null,
      code_challenge_method: null,
      created_at: now,
      expires_at: device.expires_at,
    }
    const isInserted = client.trusted
      ? await insertGrant(tx, grant, client)
      : await insertConsentedGrant(tx, grant, client)
    // The session has ended meanwhile, or the consent was withdrawn.
    if (!isInserted) throw new AppError('UNAUTHORIZED')
    await assignGrant(tx, { id: device.id, grantId })
    await record(ctx, tx, { ...approval, action: 'user.device_allowed', tenantId: tenant?.id })
    await notifyDeviceAllowed(ctx, tx, { device, client, session, tenant: tenant?.slug })
    return true
  })

/** Refuses the device; false if it was decided about before, or has expired. */
export const refuseDevice = (ctx: Ctx, decision: Decision): Promise<boolean> =>
  ctx.db.transaction().execute(async (tx) => {
    if (!(await decideDevice(tx, { id: decision.device.id, now: ctx.now() }))) return false
    await record(ctx, tx, { ...decision, action: 'user.device_refused', tenantId: undefined })
    return true
  })

interface Outcome extends Decision {
  action: 'user.device_allowed' | 'user.device_refused'
  tenantId: string | undefined
}

const record = (ctx: Ctx, tx: Tx, { action, tenantId, device, client, session, request }: Outcome): Promise<void> =>
  recordAuditEvent(ctx, tx, {
    action,
    actor: userActor(session.userId),
    userId: session.userId,
    clientId: client.clientId,
    request,
    ...(tenantId !== undefined && { tenantId }),
    details: { applicationId: client.applicationId, scopes: device.scopes },
    personal: { deviceIpAddress: device.ip_address, deviceUserAgent: device.user_agent },
  })
