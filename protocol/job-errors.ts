/** The `error` of a failed job. @param reason a sentence for the client */
export const refundedError = (reason: string) => `${reason} The charge was refunded.`;

/** The reason when neither the image nor the generator gave one that a client may see. */
export const NOT_GENERATED = 'The image could not be generated.';
