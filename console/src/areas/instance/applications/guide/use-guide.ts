import { useState } from 'react'
import { useChange } from '../../../../api/use-api.ts'
import { guide as text } from '../../../../text/guide.ts'
import { fieldErrorsOf } from '../../../../ui/form-dialog.tsx'
import { toLines } from '../../../../ui/lines-input.tsx'
import { type ClientDraft, newDraft, originsOf, toNewClient } from '../clients/client-draft.ts'
import type { Connection } from '../clients/connection-dialog.tsx'
import { startOf } from './starts.ts'

/** The longest part of the application's name that its client is named after. */
const LONGEST_NAME = 90
const LAST_QUESTION = 2

const begin = (): ClientDraft => ({ ...newDraft('SPA'), ...startOf('SPA') })

/** Quiet, because the form tells what was refused. */
const onProblem = () => true

/**
 * What has been answered, and how far one is. The application is made with its client, in the end: whoever leaves
 * before has made nothing. When the client is refused, the application that is there is taken for the next attempt.
 */
export function useGuide() {
  const [step, setStep] = useState(0)
  const [name, setName] = useState('')
  const [draft, setDraft] = useState(begin)
  const [applicationId, setApplicationId] = useState<string>()
  const [made, setMade] = useState<Connection>()
  const create = useCreation()

  const makeAll = async () => {
    try {
      const id = await create.application(name, applicationId)
      setApplicationId(id)
      setMade(await create.client(name, draft, id))
      setStep(LAST_QUESTION + 1)
    } catch (error) {
      if ('name' in fieldErrorsOf(error)) setStep(0)
      throw error
    }
  }

  return {
    ...{ step, name, setName, draft, made },
    change: (part: Partial<ClientDraft>) => setDraft((former) => ({ ...former, ...part })),
    goBack: () => setStep(step - 1),
    goOn: async () => (step === LAST_QUESTION ? makeAll() : setStep(step + 1)),
    startAnew: () => {
      setStep(0)
      setName('')
      setDraft(begin())
      setApplicationId(undefined)
      setMade(undefined)
    },
  }
}

function useCreation() {
  const refreshes = ['GET /api/admin/applications' as const, 'GET /api/admin/overview' as const]
  const make = useChange('POST /api/admin/applications', { refreshes, onProblem })
  const rename = useChange('PATCH /api/admin/applications/{id}', { refreshes, onProblem })
  const register = useChange('POST /api/admin/clients', { refreshes: ['GET /api/admin/clients'], onProblem })
  return {
    async application(name: string, former: string | undefined): Promise<string> {
      if (former === undefined) return (await make.mutateAsync({ body: { name } })).id
      await rename.mutateAsync({ path: { id: former }, body: { name } })
      return former
    },
    async client(name: string, draft: ClientDraft, applicationId: string): Promise<Connection> {
      const named = text.clientName[draft.kind](name.trim().slice(0, LONGEST_NAME))
      const origins = draft.kind === 'SPA' ? originsOf(toLines(draft.redirectUris)).join('\n') : ''
      const body = toNewClient({ ...draft, name: named, allowedOrigins: origins }, applicationId)
      const { clientSecret, ...client } = await register.mutateAsync({ body })
      return { client, ...(clientSecret !== null && { clientSecret }) }
    },
  }
}
