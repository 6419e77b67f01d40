/** What the browser complained of beside requests that were refused, with just these answers. */
export const besides = (complaints: string[], ...statuses: number[]): string[] =>
  complaints.filter(
    (text) => !statuses.some((status) => text.includes(`the server responded with a status of ${status}`)),
  )
