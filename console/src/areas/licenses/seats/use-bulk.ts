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
  /** Reverses what was done. Undefined if nothing was, or for the result of an undo. */
  undo?: (() => void) | undefined
}

interface Change {
  reply: BulkLicenseResponse
  members: MemberSeat[]
  /** The notice after full success. */
  notice: string
  undo: (done: MemberSeat[]) => Promise<BulkLicenseResponse>
}

const { bulk: text } = licenses

/** Grants or revokes the seats of several members, with a result for each. */
export function useBulk(applicationId: string, onSettled: () => void) {
  const { grantAll, revokeAll, busy } = useBulkRequests(applicationId)
  const [outcome, setOutcome] = useState<Outcome>()
  const [dialog, ask] = useConfirm()

  // The mutation has already shown the error of a failed request.
  const undoAll = async ({ undo }: Change, done: MemberSeat[]): Promise<void> => {
    const reply = await undo(done).catch(() => undefined)
    if (reply?.failed === 0) showSuccess(text.undone)
    else if (reply) setOutcome({ reply, members: done })
  }
  /** Shows a notice after full success, otherwise the result for each member. Both have an undo button. */
  const showResult = (change: Change) => {
    const { reply, members, notice } = change
    onSettled()
    const done = findDone(change)
    const undo = () => void undoAll(change, done)
    if (reply.failed === 0) showSuccess(notice, undo)
    else setOutcome({ reply, members, undo: done.length > 0 ? undo : undefined })
  }
  const grantSelected = async (members: MemberSeat[], type: LicensedType): Promise<void> => {
    const reply = await grantAll(members.map(({ userId }) => ({ userId, licenseTypeId: type.id }))).catch(() => {})
    if (reply) showResult({ reply, members, notice: text.given(members.length, type.name), undo: revokeAll })
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
  const revokeSelected = async (members: MemberSeat[]): Promise<void> => {
    const reply = await revokeAll(members).catch(() => {})
    const undo = (done: MemberSeat[]) => grantAll(toGrants(done))
    if (reply) showResult({ reply, members, notice: text.taken(members.length), undo })
  }
  /** Asks first if somebody who is not on the current page loses a license. */
  const revokeOrAsk = (selected: MemberSeat[], page: MemberSeat[]): void => {
    const members = selected.filter(({ license }) => license !== null)
    const shown = new Set(page.map(({ userId }) => userId))
    const hidden = members.filter(({ userId }) => !shown.has(userId)).length
    if (hidden === 0) return void revokeSelected(members)
    const { title, text: explain, action } = text.takeBack
    const count = members.length
    ask({ title: title(count), text: explain(count, hidden), action }, () => revokeSelected(members))
  }
  return { dialog, outcome, busy, closeOutcome: () => setOutcome(undefined), grant: grantOrAsk, revoke: revokeOrAsk }
}

function useBulkRequests(applicationId: string) {
  const tenant = useTenant()
  const options = { tenant: tenant.slug, invalidates: SEAT_QUERIES }
  const grant = useApiMutation('POST /api/integration/licenses/grant/bulk', options)
  const revoke = useApiMutation('POST /api/integration/licenses/revoke/bulk', options)
  const newIdempotencyKey = () => crypto.randomUUID()
  return {
    busy: grant.isPending || revoke.isPending,
    grantAll: (grants: { userId: string; licenseTypeId: string }[]) =>
      grant.mutateAsync({
        body: { grants: grants.map((entry) => ({ ...entry, applicationId })) },
        idempotencyKey: newIdempotencyKey(),
      }),
    revokeAll: (members: MemberSeat[]) =>
      revoke.mutateAsync({
        body: { revocations: members.map(({ userId }) => ({ userId, applicationId })) },
        idempotencyKey: newIdempotencyKey(),
      }),
  }
}

function findDone({ reply, members }: Change): MemberSeat[] {
  const failed = new Set(reply.results.filter(({ error }) => error !== undefined).map(({ userId }) => userId))
  return members.filter(({ userId }) => !failed.has(userId))
}

/** The licenses that these members had. */
const toGrants = (members: MemberSeat[]) =>
  members.flatMap(({ userId, license }) => (license ? [{ userId, licenseTypeId: license.licenseTypeId }] : []))
