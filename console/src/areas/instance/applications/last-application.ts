/** The application whose page was open last, so that other pages start with it. Lost when the console is reloaded. */
let lastId: string | undefined

export const saveLastApplication = (id: string): void => {
  lastId = id
}

export const findLastApplication = (): string | undefined => lastId

export const forgetApplication = (id: string): void => {
  if (lastId === id) lastId = undefined
}
