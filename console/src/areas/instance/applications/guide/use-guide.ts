import { useState } from 'react'
import { useApiMutation } from '../../../../api/use-api.ts'
import { guide as text } from '../../../../text/guide.ts'
import { findLibrary } from '../../../../text/libraries/libraries.ts'
import { toLines } from '../../../../ui/lines-input.tsx'
import { fieldErrorsOf } from '../../../../ui/use-submit.ts'
import { type ClientDraft, newClientDraft, toNewClient, toOrigins } from '../clients/client-draft.ts'
import type { Connection } from '../clients/connection.ts'
import { checkMachineAccess } from '../clients/machine-access.ts'
import { defaultDraft } from './defaults.ts'

/** The client name contains this much of the application name. */
const MAX_NAME_LENGTH = 90
const LAST_STEP = 2

const initialDraft = (): ClientDraft => ({ ...newClientDraft('SPA'), ...defaultDraft('SPA') })

/** The form shows errors. */
const onError = () => true

/**
 * The state of the guide. Application and client are created in the last step. If creating the client fails, the next
 * attempt reuses the application.
 */
export function useGuide() {
  const [step, setStep] = useState(0)
  const [name, setName] = useState('')
  const [draft, setDraft] = useState(initialDraft)
  const [applicationId, setApplicationId] = useState<string>()
  const [created, setCreated] = useState<Connection>()
  const create = useCreation()

  const createAll = async () => {
    // A client that only checks the tokens of others needs no scope.
    checkMachineAccess(draft, { requiresScope: findLibrary(draft.libraryId)?.protectsApi !== true })
    try {
      const id = await create.application(name, applicationId)
      setApplicationId(id)
      setCreated(await create.client(name, draft, id))
      setStep(LAST_STEP + 1)
    } catch (error) {
      if ('name' in fieldErrorsOf(error)) setStep(0)
      throw error
    }
  }

  return {
    step,
    name,
    setName,
    draft,
    created,
    change: (changes: Partial<ClientDraft>) => setDraft((previous) => ({ ...previous, ...changes })),
    goBack: () => setStep(step - 1),
    goNext: async () => (step === LAST_STEP ? createAll() : setStep(step + 1)),
    restart: () => {
      setStep(0)
      setName('')
      setDraft(initialDraft())
      setApplicationId(undefined)
      setCreated(undefined)
    },
  }
}

function useCreation() {
  const invalidates = ['GET /api/admin/applications' as const, 'GET /api/admin/overview' as const]
  const createApplication = useApiMutation('POST /api/admin/applications', { invalidates, onError })
  const renameApplication = useApiMutation('PATCH /api/admin/applications/{id}', { invalidates, onError })
  const createClient = useApiMutation('POST /api/admin/clients', {
    invalidates: ['GET /api/admin/clients'],
    onError,
  })
  return {
    async application(name: string, previous: string | undefined): Promise<string> {
      if (previous === undefined) return (await createApplication.mutateAsync({ body: { name } })).id
      await renameApplication.mutateAsync({ path: { id: previous }, body: { name } })
      return previous
    },
    async client(name: string, draft: ClientDraft, applicationId: string): Promise<Connection> {
      const clientName = text.clientName[draft.kind](name.trim().slice(0, MAX_NAME_LENGTH))
      const isInBrowser = draft.kind === 'SPA' && !findLibrary(draft.libraryId)?.native
      const origins = isInBrowser ? toOrigins(toLines(draft.redirectUris)).join('\n') : ''
      const body = toNewClient({ ...draft, name: clientName, allowedOrigins: origins }, applicationId)
      const { clientSecret, ...client } = await createClient.mutateAsync({ body })
      return { client, libraryId: draft.libraryId, ...(clientSecret !== null && { clientSecret }) }
    },
  }
}
