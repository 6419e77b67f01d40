import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toQueryKey, useApiMutation } from '../../../api/use-api.ts'
import { toErrorMessage } from '../../../ui/notifications.tsx'
import type { Role } from '../roles.ts'
import { useTenant } from '../tenant.ts'

/** The service accepts 200 per request. Smaller batches show progress. */
const BATCH_SIZE = 50

/** Queries whose data invitations change. */
const AFFECTED_QUERIES = [
  'GET /api/tenants/{id}/members',
  'GET /api/tenants/{id}/invitations',
  'GET /api/tenants/{id}/licenses',
] as const

export interface InviteRequest {
  addresses: string[]
  role: Role
  expiresInDays: number
  seat?: { applicationId: string; licenseTypeId: string } | undefined
}

export interface Outcome {
  email: string
  /** The reason for a failure; undefined on success. */
  problem?: string
}

/** Sends invitations in batches and collects a result per address. */
export function useInvite() {
  const tenant = useTenant()
  const [outcomes, setOutcomes] = useState<Outcome[]>([])
  const [expected, setExpected] = useState(0)
  const [busy, setBusy] = useState(false)
  const send = useApiMutation('POST /api/tenants/{id}/invitations/bulk', { onError: () => true })
  const client = useQueryClient()

  const inviteBatch = async (emails: string[], request: InviteRequest): Promise<Outcome[]> => {
    const { role, expiresInDays, seat } = request
    const invitations = emails.map((email) => ({ email, role, expiresInDays, ...seat }))
    const { results } = await send.mutateAsync({ path: { id: tenant.id }, body: { invitations } })
    return results.map(({ email, error, message, details }) => ({
      email: String(email),
      ...(error !== undefined && { problem: toMessage(message ?? error, details) }),
    }))
  }

  const invite = async (request: InviteRequest) => {
    setOutcomes([])
    setExpected(request.addresses.length)
    setBusy(true)
    for (let start = 0; start < request.addresses.length; start += BATCH_SIZE) {
      const emails = request.addresses.slice(start, start + BATCH_SIZE)
      try {
        const results = await inviteBatch(emails, request)
        setOutcomes((previous) => [...previous, ...results])
      } catch (error) {
        // A failed request, such as a lost connection or role, would fail for the remaining batches too.
        const problem = toErrorMessage(error)
        const rest = request.addresses.slice(start).map((email) => ({ email, problem }))
        setOutcomes((previous) => [...previous, ...rest])
        break
      }
    }
    setBusy(false)
    await Promise.all(AFFECTED_QUERIES.map((name) => client.invalidateQueries({ queryKey: toQueryKey(name) })))
  }
  return { invite, busy, expected, outcomes }
}

/** The message with the field errors. */
function toMessage(message: string, details: unknown): string {
  if (!Array.isArray(details)) return message
  const fields = details.map((detail: { field?: string; message?: string }) =>
    [detail.field, detail.message].filter(Boolean).join(' '),
  )
  return [message, ...fields].join(' ')
}
