/** An invented person, with right check digits: the value of `${fake.person}` and of `fakePerson()`. */
export interface FakePerson {
  readonly name: string;
  readonly document: { readonly type: "CPF"; readonly number: string };
  readonly email: string;
  readonly phone: string;
}
