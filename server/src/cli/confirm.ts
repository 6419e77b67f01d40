import { createInterface } from 'node:readline/promises'

/** Asks whoever sits at the terminal. Anything but a yes is a no. */
export async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  // Ctrl-C is a no as well.
  lines.once('SIGINT', () => lines.close())
  const answer = await Promise.race([lines.question(`${question} [y/N] `), closed])
  lines.close()
  return /^y(?:es)?$/i.test(answer.trim())
}
