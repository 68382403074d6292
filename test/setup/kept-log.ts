/** A destination for a logger, which keeps what is logged. */
export const keptLog = () => ({
  text: '',
  write(line: string) {
    this.text += line;
  },
});
