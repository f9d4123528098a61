// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.tls;

import java.math.BigInteger;
import java.security.Principal;
import java.security.PublicKey;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Date;
import java.util.Set;

/** A certificate that an engine of the JDK accepts as its own, and of which it sends other bytes. */
final class EncodedCertificate extends X509Certificate
{
    private static final long serialVersionUID = 1L;

    private final X509Certificate certificate;
    private final byte[] encoded;

    EncodedCertificate(final X509Certificate certificate, final byte[] encoded)
    {
        this.certificate = certificate;
        this.encoded = encoded;
    }

    @Override
    public byte[] getEncoded()
    {
        return encoded.clone();
    }

    @Override
    public void checkValidity() throws CertificateExpiredException, CertificateNotYetValidException
    {
        certificate.checkValidity();
    }

    @Override
    public void checkValidity(final Date date) throws CertificateExpiredException, CertificateNotYetValidException
    {
        certificate.checkValidity(date);
    }

    @Override
    public int getVersion()
    {
        return certificate.getVersion();
    }

    @Override
    public BigInteger getSerialNumber()
    {
        return certificate.getSerialNumber();
    }

    @Override
    @SuppressWarnings("deprecation")
    public Principal getIssuerDN()
    {
        return certificate.getIssuerDN();
    }

    @Override
    @SuppressWarnings("deprecation")
    public Principal getSubjectDN()
    {
        return certificate.getSubjectDN();
    }

    @Override
    public Date getNotBefore()
    {
        return certificate.getNotBefore();
    }

    @Override
    public Date getNotAfter()
    {
        return certificate.getNotAfter();
    }

    @Override
    public byte[] getTBSCertificate()
    {
        return encoded.clone();
    }

    @Override
    public byte[] getSignature()
    {
        return certificate.getSignature();
    }

    @Override
    public String getSigAlgName()
    {
        return certificate.getSigAlgName();
    }

    @Override
    public String getSigAlgOID()
    {
        return certificate.getSigAlgOID();
    }

    @Override
    public byte[] getSigAlgParams()
    {
        return certificate.getSigAlgParams();
    }

    @Override
    public boolean[] getIssuerUniqueID()
    {
        return certificate.getIssuerUniqueID();
    }

    @Override
    public boolean[] getSubjectUniqueID()
    {
        return certificate.getSubjectUniqueID();
    }

    @Override
    public boolean[] getKeyUsage()
    {
        return certificate.getKeyUsage();
    }

    @Override
    public int getBasicConstraints()
    {
        return certificate.getBasicConstraints();
    }

    @Override
    public void verify(final PublicKey key)
    {
    }

    @Override
    public void verify(final PublicKey key, final String provider)
    {
    }

    @Override
    public PublicKey getPublicKey()
    {
        return certificate.getPublicKey();
    }

    @Override
    public boolean hasUnsupportedCriticalExtension()
    {
        return false;
    }

    @Override
    public Set<String> getCriticalExtensionOIDs()
    {
        return certificate.getCriticalExtensionOIDs();
    }

    @Override
    public Set<String> getNonCriticalExtensionOIDs()
    {
        return certificate.getNonCriticalExtensionOIDs();
    }

    @Override
    public byte[] getExtensionValue(final String oid)
    {
        return certificate.getExtensionValue(oid);
    }

    @Override
    public String toString()
    {
        return certificate + " sent as " + encoded.length + " other bytes";
    }
}
