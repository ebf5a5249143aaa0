/** A participant of the Brazilian payment system. */
export interface Institution {
  /** Eight characters, leading zeros kept; it identifies every participant. */
  readonly ispb: string;
  /** The three-digit clearing number, known as the bank's number; not every participant has one. */
  readonly compe?: string;
  readonly name: string;
}

/** The sandbox's own institution, which does not exist: it has the accounts and its ISPB is in the end-to-end ids. */
export const platformInstitution: Institution = { ispb: "99999004", name: "SANDBANK IP" };

/** The best-known banks and payment institutions of Brazil, ordered by clearing number. */
export const institutions: readonly Institution[] = [
  { compe: "001", ispb: "00000000", name: "Banco do Brasil" },
  { compe: "033", ispb: "90400888", name: "Santander" },
  { compe: "041", ispb: "92702067", name: "Banrisul" },
  { compe: "070", ispb: "00000208", name: "BRB" },
  { compe: "077", ispb: "00416968", name: "Inter" },
  { compe: "104", ispb: "00360305", name: "Caixa" },
  { compe: "197", ispb: "16501555", name: "Stone IP" },
  { compe: "208", ispb: "30306294", name: "BTG Pactual" },
  { compe: "212", ispb: "92894922", name: "Original" },
  { compe: "237", ispb: "60746948", name: "Bradesco" },
  { compe: "260", ispb: "18236120", name: "Nu Pagamentos IP" },
  { compe: "290", ispb: "08561701", name: "PagSeguro IP" },
  { compe: "323", ispb: "10573521", name: "Mercado Pago IP" },
  { compe: "332", ispb: "13140088", name: "Acesso IP" },
  { compe: "336", ispb: "31872495", name: "C6" },
  { compe: "341", ispb: "60701190", name: "Itaú Unibanco" },
  { compe: "364", ispb: "09089356", name: "Efí IP" },
  { compe: "380", ispb: "22896431", name: "PicPay IP" },
  { compe: "403", ispb: "37880206", name: "Cora SCFI" },
  { compe: "422", ispb: "58160789", name: "Safra" },
  { compe: "748", ispb: "01181521", name: "Sicredi" },
  { compe: "756", ispb: "02038232", name: "Sicoob" },
];

const byIspb = new Map([...institutions, platformInstitution].map((one) => [one.ispb, one]));
const byCompe = new Map(institutions.map((one) => [one.compe, one]));

/** The institution of that ISPB, the platform's own included; undefined for one that the sandbox does not know. */
export function institutionByIspb(ispb: string): Institution | undefined {
  return byIspb.get(ispb);
}

/** The institution of that clearing number; undefined for one that the sandbox does not know. */
export function institutionByCompe(compe: string): Institution | undefined {
  return byCompe.get(compe);
}
