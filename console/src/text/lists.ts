/** Texts of fields with several values. */
export const lists = {
  perLine: 'One per line.',
  line: (number: number, message: string) => `Line ${number} ${message}`,
  entry: (entry: string, message: string) => `“${entry}” ${message}`,
}
