#!/bin/sh
# Issues the certificates of TlsMatrixTest into the current folder: for each name NAME.key, NAME.pem and, if the server
# is to send more than its own certificate, NAME.chain. It needs OpenSSL 3.
set -eu

cat > none.cnf <<END
[req]
distinguished_name = name
[name]
END
P256="-newkey ec -pkeyopt ec_paramgen_curve:P-256"

# make NAME SUBJECT ISSUER KEY OPTION...: issues a certificate; the issuer signs it, or its own key if that is "-".
make()
{
    name=$1 subject=$2 issuer=$3 key=$4
    shift 4
    if [ "$issuer" != - ]
    then
        set -- -CA "$issuer.pem" -CAkey "$issuer.key" "$@"
    fi
    # The options of the key are several words.
    openssl req -x509 -config none.cnf $key -nodes -keyout "$name.key" -out "$name.pem" -subj "$subject" -days 3650 \
        -addext subjectKeyIdentifier=hash -addext authorityKeyIdentifier=keyid "$@"
}

# authority NAME SUBJECT ISSUER CONSTRAINTS OPTION...
authority()
{
    name=$1 subject=$2 issuer=$3 constraints=$4
    shift 4
    make "$name" "$subject" "$issuer" "$P256" -addext basicConstraints=critical,$constraints \
        -addext keyUsage=critical,keyCertSign,cRLSign "$@"
}

# leaf NAME ISSUER SANS OPTION...
leaf()
{
    name=$1 issuer=$2 sans=$3
    shift 3
    make "$name" "/CN=$name" "$issuer" "$P256" -addext "subjectAltName=$sans" "$@"
}

# with_key NAME OPTION...: a certificate for the default host with a key of these options.
with_key()
{
    name=$1
    shift
    make "$name" "/CN=$name" ca "-newkey $*" -addext subjectAltName=$HOST
}

# dated NAME FROM TO EXTENSION: a certificate for the default host with these dates.
dated()
{
    openssl req -new -config none.cnf $P256 -nodes -keyout "$1.key" -out dated.csr -subj "/CN=$1" \
        -addext subjectAltName=$HOST -addext "$4"
    : > dated.index
    openssl ca -config dated.cnf -batch -notext -in dated.csr -out "$1.pem" -cert ca.pem -keyfile ca.key \
        -startdate "$2" -enddate "$3"
}

cat > dated.cnf <<END
[ca]
default_ca = dated
[dated]
database = dated.index
rand_serial = yes
new_certs_dir = .
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
END

HOST=DNS:broker.example
SERVER=extendedKeyUsage=serverAuth
CLIENT=extendedKeyUsage=clientAuth

authority ca "/CN=matrix CA" - CA:TRUE
authority other "/CN=other CA" - CA:TRUE
authority same-name "/CN=matrix CA" - CA:TRUE
authority intermediate "/CN=intermediate CA" ca CA:TRUE
authority short "/CN=short CA" ca CA:TRUE,pathlen:0
authority too-long "/CN=too long CA" short CA:TRUE
authority permitting "/CN=permitting CA" ca CA:TRUE -addext "nameConstraints=critical,permitted;DNS:inside.example"
authority excluding "/CN=excluding CA" ca CA:TRUE -addext "nameConstraints=critical,excluded;$HOST"
authority clients-only "/CN=clients CA" ca CA:TRUE -addext $CLIENT
make no-ca "/CN=no CA" ca "$P256" -addext basicConstraints=critical,CA:FALSE -addext keyUsage=critical,digitalSignature
make no-constraints "/CN=no constraints" ca "$P256"
make no-signing "/CN=no signing" ca "$P256" -addext basicConstraints=critical,CA:TRUE \
    -addext keyUsage=critical,digitalSignature

leaf good ca $HOST -addext $SERVER
leaf several ca DNS:first.example,$HOST,IP:10.1.2.3
leaf wildcard ca "DNS:*.kafka.example"
leaf wildcard-part ca "DNS:b*.kafka.example"
leaf wildcard-inside ca "DNS:b1.*.example"
leaf wildcard-twice ca "DNS:*.*.example"
leaf wildcard-top ca "DNS:*.example"
leaf wildcard-all ca "DNS:*"
make cn "/CN=broker.example" ca "$P256"
make cn-wildcard "/CN=*.kafka.example" ca "$P256"
make cn-and-name "/CN=broker.example" ca "$P256" -addext subjectAltName=DNS:elsewhere.example
make cn-and-address "/CN=broker.example" ca "$P256" -addext subjectAltName=IP:10.1.2.3
make cn-address "/CN=10.1.2.3" ca "$P256"
leaf address ca IP:10.1.2.3,IP:2001:db8::5
leaf address-as-name ca DNS:10.1.2.3
leaf usage-none ca $HOST
leaf usage-any ca $HOST -addext extendedKeyUsage=anyExtendedKeyUsage
leaf usage-client ca $HOST -addext $CLIENT
leaf usage-encrypt ca $HOST -addext keyUsage=critical,keyEncipherment
leaf unknown-extension ca $HOST -addext 1.2.3.4=critical,DER:0500
leaf of-other other $HOST
leaf of-same-name same-name $HOST
make self "/CN=self" - "$P256" -addext subjectAltName=$HOST
dated expired 20200101000000Z 20210101000000Z $SERVER
dated early 20980101000000Z 20990101000000Z $SERVER
dated late-ca 20200101000000Z 20210101000000Z basicConstraints=critical,CA:TRUE

for issuer in intermediate too-long permitting excluding clients-only no-ca no-constraints no-signing late-ca
do
    leaf "of-$issuer" $issuer $HOST
    cp $issuer.pem "of-$issuer.chain"
done
cat short.pem >> of-too-long.chain
leaf inside permitting DNS:b1.inside.example
cp permitting.pem inside.chain
leaf alone intermediate $HOST
leaf unordered intermediate $HOST
cat ca.pem other.pem intermediate.pem > unordered.chain

with_key rsa rsa:2048
with_key rsa-1024 rsa:1024
with_key rsa-768 rsa:768
with_key rsa-pss rsa-pss -pkeyopt rsa_keygen_bits:2048
with_key p384 ec -pkeyopt ec_paramgen_curve:P-384
with_key p521 ec -pkeyopt ec_paramgen_curve:P-521
with_key secp256k1 ec -pkeyopt ec_paramgen_curve:secp256k1
with_key ed25519 ed25519
with_key ed448 ed448
make ed25519-of-other "/CN=ed25519-of-other" other "-newkey ed25519" -addext subjectAltName=$HOST
make ed25519-elsewhere "/CN=ed25519-elsewhere" ca "-newkey ed25519" -addext subjectAltName=DNS:elsewhere.example
leaf sha1 ca $HOST -sha1
leaf sha512 ca $HOST -sha512

make client "/CN=client" ca "$P256" -addext $CLIENT
make client-of-other "/CN=client-of-other" other "$P256" -addext $CLIENT
dated client-expired 20200101000000Z 20210101000000Z $CLIENT
