import type { BulkLicenseResponse } from '@latchkey/client/types'
import { useState } from 'react'
import { useApiMutation } from '../../../api/use-api.ts'
import { licenses } from '../../../text/licenses.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { showSuccess } from '../../../ui/notifications.tsx'
import { useTenant } from '../../tenant/tenant.ts'
import { grantableSeats, type LicensedType, type MemberSeat, SEAT_QUERIES } from '../types.ts'

/** The result of a bulk request. */
export interface Outcome {
  reply: BulkLicenseResponse
  members: MemberSeat[]
}

const { bulk: text } = licenses

/** Grants or revokes the seats of several members, with a result for each. */
export function useBulk(applicationId: string, onSettled: () => void) {
  const tenant = useTenant()
  const [outcome, setOutcome] = useState<Outcome>()
  const [dialog, ask] = useConfirm()
  const options = { tenant: tenant.slug, invalidates: SEAT_QUERIES }
  const grant = useApiMutation('POST /api/integration/licenses/grant/bulk', options)
  const revoke = useApiMutation('POST /api/integration/licenses/revoke/bulk', options)
  const newIdempotencyKey = () => crypto.randomUUID()

  const grantAll = (grants: { userId: string; licenseTypeId: string }[]) =>
    grant.mutateAsync({
      body: { grants: grants.map((entry) => ({ ...entry, applicationId })) },
      idempotencyKey: newIdempotencyKey(),
    })
  const revokeAll = (userIds: string[]) =>
    revoke.mutateAsync({
      body: { revocations: userIds.map((userId) => ({ userId, applicationId })) },
      idempotencyKey: newIdempotencyKey(),
    })

  /** Shows an undo button after full success, otherwise the result for each member. */
  const showResult = (
    reply: BulkLicenseResponse,
    members: MemberSeat[],
    notice: { text: string; undo: () => void },
  ) => {
    onSettled()
    if (reply.failed === 0) showSuccess(notice.text, notice.undo)
    else setOutcome({ reply, members })
  }
  // The mutation has already shown the error of a failed request.
  const grantSelected = async (members: MemberSeat[], type: LicensedType): Promise<void> => {
    const ids = members.map(({ userId }) => userId)
    const reply = await grantAll(ids.map((userId) => ({ userId, licenseTypeId: type.id }))).catch(() => undefined)
    const undo = () => void revokeAll(ids).then(showUndone, () => {})
    if (reply) showResult(reply, members, { text: text.given(ids.length, type.name), undo })
  }
  /** Asks first if there are fewer seats than people, and then gives only these seats. */
  const grantOrAsk = (selected: MemberSeat[], type: LicensedType): void => {
    const unlicensed = selected.filter(({ license }) => license === null)
    const left = grantableSeats(type)
    if (unlicensed.length <= left) return void grantSelected(selected, type)
    const question = {
      title: text.few.title,
      text: text.few.text(unlicensed.length, left, type.name),
      action: text.few.action(left),
      isDestructive: false,
    }
    ask(question, () => grantSelected(unlicensed.slice(0, left), type))
  }
  const revokeSelected = async (selected: MemberSeat[]): Promise<void> => {
    const members = selected.filter(({ license }) => license !== null)
    const reply = await revokeAll(members.map(({ userId }) => userId)).catch(() => undefined)
    const previous = members.flatMap(({ userId, license }) =>
      license ? [{ userId, licenseTypeId: license.licenseTypeId }] : [],
    )
    const undo = () => void grantAll(previous).then(showUndone, () => {})
    if (reply) showResult(reply, members, { text: text.taken(members.length), undo })
  }
  return {
    dialog,
    outcome,
    busy: grant.isPending || revoke.isPending,
    closeOutcome: () => setOutcome(undefined),
    grant: grantOrAsk,
    revoke: revokeSelected,
  }
}

const showUndone = () => showSuccess(text.undone)
