export interface Attack {
  name: string;
  send(attacker: Attacker): Promise<string>;
}
