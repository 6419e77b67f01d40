import { OperatorError } from '../errors.ts'

/** The JSON of a token endpoint. */
export type TokenResponse = Record<string, unknown>

export async function call(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    throw new OperatorError(`No Latchkey answers at ${new URL(url).origin}. Start it with "npm start".`, {
      cause: error,
    })
  }
}

export const postForm = (url: string, fields: Record<string, string | undefined>): Promise<Response> => {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined)
  return call(url, { method: 'POST', body: new URLSearchParams(given) })
}

const HINTS: Record<string, string> = {
  interaction_required: ' Name it with --tenant.',
  invalid_client: ' A confidential client needs --client-secret.',
}

export function toRefusal(subject: string, body: unknown): OperatorError {
  const { message, error = '', error_description } = body as Record<string, string | undefined>
  const hint = HINTS[error] ?? ''
  return new OperatorError(`${subject} was refused: ${message ?? error_description ?? error}${hint}`)
}
