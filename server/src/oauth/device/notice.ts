import type { Client } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { createDeviceFacts } from '../../mail/device-facts.ts'
import type { BrowserSession } from '../../sessions/browser-session.ts'
import { isOverMailQuota } from '../../users/mail-quota.ts'
import { queueNotice } from '../../users/notices.ts'
import type { PendingDevice } from './store.ts'

interface AllowedDevice {
  device: PendingDevice
  client: Client
  session: BrowserSession
  /** The slug. */
  tenant: string | undefined
}

/** Mails the person that they have allowed a device: another person may have sent them its code. */
export async function notifyDeviceAllowed(
  ctx: Ctx,
  tx: Tx,
  { device, client, session, tenant }: AllowedDevice,
): Promise<void> {
  const { email, emailVerified: email_verified } = session
  // An unverified address may belong to somebody else.
  if (!email_verified || (await isOverMailQuota(ctx, 'device-allowed', email))) return
  await queueNotice(ctx, tx, {
    to: { email, email_verified },
    kind: 'device-allowed',
    facts: [
      { label: 'application', value: client.applicationName },
      ...createDeviceFacts(ctx, { address: device.ip_address, userAgent: device.user_agent }),
    ],
    origin: { clientId: client.clientId, tenant },
    path: '/account/sessions',
  })
}
