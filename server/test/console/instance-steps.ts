import type { Visit } from './stage.ts'

export const ADMIN = 'admin@latchkey.test'

/** Without what the browser says of refusals that were meant. */
export const unmeant = (complaints: string[], ...statuses: number[]) =>
  complaints.filter((line) => !statuses.some((status) => line.includes(`status of ${status} `)))

/** Presses a button in the dialog that is open. */
export const answer = ({ page }: Visit, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

export async function choose({ page }: Visit, label: string, option: string) {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Writes into a field, which may be required: the star beside its name is not part of it. */
export const write = ({ page }: Visit, name: string, text: string) =>
  page.getByRole('textbox', { name, exact: true }).fill(text)
