import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { keyOf, useChange } from '../../../api/use-api.ts'
import { sentenceOf } from '../../../ui/notices.tsx'
import type { Role } from '../reach.ts'
import { useTenant } from '../tenant.ts'

/** The service takes 200 at once; fewer let one see how far it is. */
const BATCH = 50

/** Where those who were invited show. */
const SHOWN = [
  'GET /api/tenants/{id}/members',
  'GET /api/tenants/{id}/invitations',
  'GET /api/tenants/{id}/licenses',
] as const

export interface Wish {
  addresses: string[]
  role: Role
  expiresInDays: number
  seat?: { applicationId: string; licenseTypeId: string } | undefined
}

export interface Outcome {
  email: string
  /** Why it was not sent; undefined: it was. */
  problem?: string
}

/** Invites many, a few at a time, and tells of each how it went. */
export function useInvite() {
  const tenant = useTenant()
  const [outcomes, setOutcomes] = useState<Outcome[]>([])
  const [expected, setExpected] = useState(0)
  const [busy, setBusy] = useState(false)
  const send = useChange('POST /api/tenants/{id}/invitations/bulk', { onProblem: () => true })
  const client = useQueryClient()

  const inviteBatch = async (emails: string[], wish: Wish): Promise<Outcome[]> => {
    const { role, expiresInDays, seat } = wish
    const invitations = emails.map((email) => ({ email, role, expiresInDays, ...seat }))
    const { results } = await send.mutateAsync({ path: { id: tenant.id }, body: { invitations } })
    return results.map(({ email, error, message, details }) => ({
      email: String(email),
      ...(error !== undefined && { problem: tell(message ?? error, details) }),
    }))
  }

  const invite = async (wish: Wish) => {
    setOutcomes([])
    setExpected(wish.addresses.length)
    setBusy(true)
    for (let start = 0; start < wish.addresses.length; start += BATCH) {
      const emails = wish.addresses.slice(start, start + BATCH)
      try {
        const told = await inviteBatch(emails, wish)
        setOutcomes((former) => [...former, ...told])
      } catch (error) {
        // What stops one batch stops the others: a lost connection, a role that was taken away.
        const problem = sentenceOf(error)
        const rest = wish.addresses.slice(start).map((email) => ({ email, problem }))
        setOutcomes((former) => [...former, ...rest])
        break
      }
    }
    setBusy(false)
    await Promise.all(SHOWN.map((name) => client.invalidateQueries({ queryKey: keyOf(name) })))
  }
  return { invite, busy, expected, outcomes }
}

/** The sentence, and what is wrong with which field. */
function tell(message: string, details: unknown): string {
  if (!Array.isArray(details)) return message
  const fields = details.map((detail: { field?: string; message?: string }) =>
    [detail.field, detail.message].filter(Boolean).join(' '),
  )
  return [message, ...fields].join(' ')
}
