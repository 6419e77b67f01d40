/** The mark of Latchkey: a key that is also the letter L. Its colors are fixed; they work on light and dark pages. */
export const Logo = ({ size = 28 }: { size?: number }) => (
  <svg class="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="8" fill="#2b3fa8" />
    <path fill="#ffc857" fill-rule="evenodd" d={KEY} />
  </svg>
)

const KEY =
  'M13 4.6a6 6 0 0 1 1.9 11.7V18h2.8a1.7 1.7 0 0 1 0 3.4h-2.8v2h7.3a1.9 1.9 0 0 1 0 3.8H13a1.9 1.9 0 0 1-1.9-1.9v-9A6 6 0 0 1 13 4.6Zm0 3.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8Z'
