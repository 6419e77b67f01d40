/** From the value before to the value after, in the direction of reading. */
export const Arrow = () => <span className="mirrored">→</span>
