import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Connection } from './connection.ts'
import { LOADING, type SessionState } from './session/session.ts'

export interface LatchkeyContextValue {
  connection: Connection
  /** The tenant that the provider names. */
  tenant: string | undefined
}

export const LatchkeyContext = createContext<LatchkeyContextValue | undefined>(undefined)

export function useLatchkey(): LatchkeyContextValue {
  const value = useContext(LatchkeyContext)
  if (!value) throw new Error('There is no LatchkeyProvider above this component. Put one around your application.')
  return value
}

const getServerState = () => LOADING

export function useSessionState(): SessionState {
  const { session } = useLatchkey().connection
  return useSyncExternalStore(session.subscribe, session.getState, getServerState)
}
