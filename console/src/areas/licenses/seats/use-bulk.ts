import type { BulkLicenseReply } from 'latchkey-sdk/types'
import { useState } from 'react'
import { useChange } from '../../../api/use-api.ts'
import { licenses } from '../../../text/licenses.ts'
import { showDone } from '../../../ui/notices.tsx'
import { useTenant } from '../../tenant/tenant.ts'
import { type LicensedType, SEAT_READINGS, type SeatOfMember } from '../types.ts'

/** What became of each of several people. */
export interface Outcome {
  reply: BulkLicenseReply
  members: SeatOfMember[]
}

const { bulk: text } = licenses

/** Gives several people a seat, or takes theirs back, with a result for each. */
export function useBulk(applicationId: string, onSettled: () => void) {
  const tenant = useTenant()
  const [outcome, setOutcome] = useState<Outcome>()
  const options = { tenant: tenant.slug, refreshes: SEAT_READINGS }
  const grant = useChange('POST /api/integration/licenses/grant/bulk', options)
  const revoke = useChange('POST /api/integration/licenses/revoke/bulk', options)
  const attempt = () => crypto.randomUUID()

  const grantAll = (grants: { userId: string; licenseTypeId: string }[]) =>
    grant.mutateAsync({
      body: { grants: grants.map((each) => ({ ...each, applicationId })) },
      idempotencyKey: attempt(),
    })
  const revokeAll = (userIds: string[]) =>
    revoke.mutateAsync({
      body: { revocations: userIds.map((userId) => ({ userId, applicationId })) },
      idempotencyKey: attempt(),
    })

  /** Everything went well: a way back. Something did not: what became of each. */
  const settle = (
    reply: BulkLicenseReply,
    members: SeatOfMember[],
    done: { text: string; undo: () => void },
  ) => {
    onSettled()
    if (reply.failed === 0) showDone(done.text, done.undo)
    else setOutcome({ reply, members })
  }
  // A refusal of the whole was shown where it was sent.
  const give = async (members: SeatOfMember[], type: LicensedType): Promise<void> => {
    const ids = members.map(({ userId }) => userId)
    const reply = await grantAll(ids.map((userId) => ({ userId, licenseTypeId: type.id }))).catch(
      () => undefined,
    )
    const undo = () => void revokeAll(ids).then(told, () => {})
    if (reply) settle(reply, members, { text: text.given(ids.length, type.name), undo })
  }
  const takeBack = async (chosen: SeatOfMember[]): Promise<void> => {
    const members = chosen.filter(({ license }) => license !== null)
    const reply = await revokeAll(members.map(({ userId }) => userId)).catch(() => undefined)
    const former = members.flatMap(({ userId, license }) =>
      license ? [{ userId, licenseTypeId: license.licenseTypeId }] : [],
    )
    const undo = () => void grantAll(former).then(told, () => {})
    if (reply) settle(reply, members, { text: text.taken(members.length), undo })
  }
  return {
    outcome,
    busy: grant.isPending || revoke.isPending,
    closeOutcome: () => setOutcome(undefined),
    give,
    takeBack,
  }
}

const told = () => showDone(text.undone)
